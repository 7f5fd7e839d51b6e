"""Electronic invoices made by hand, alone and inside a PDF."""

import io
from pathlib import Path

import pikepdf

from tests.tools.paper import Sheet, save

_RAM = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
CII = f"""<?xml version="1.0"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="{_RAM}"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocument><ram:ID>R-2024-7</ram:ID><ram:IssueDateTime>
<udt:DateTimeString format="102">20240331</udt:DateTimeString>
</ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>Pens</ram:Name></ram:SpecifiedTradeProduct>
<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity>10</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
<ram:SpecifiedLineTradeSettlement>
<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>100.00</ram:LineTotalAmount>
</ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>Stift &amp; Co. KG</ram:Name>
<ram:PostalTradeAddress><ram:PostcodeCode>80333</ram:PostcodeCode>
<ram:LineOne>Weg 1</ram:LineOne><ram:CityName>München</ram:CityName>
</ram:PostalTradeAddress></ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Kunde AG</ram:Name></ram:BuyerTradeParty>
</ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount><ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>
<ram:DuePayableAmount>119.00</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>"""
UBL = """<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:c="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<b:ID>U-9</b:ID><b:IssueDate>2024-03-31</b:IssueDate><b:DueDate>2024-04-30</b:DueDate>
<b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode>
<c:AccountingSupplierParty><c:Party><c:PartyName><b:Name>Lieferant</b:Name></c:PartyName>
<c:PartyLegalEntity><b:RegistrationName>Lieferant GmbH</b:RegistrationName></c:PartyLegalEntity>
</c:Party></c:AccountingSupplierParty>
<c:LegalMonetaryTotal><b:TaxInclusiveAmount>238.00</b:TaxInclusiveAmount><b:PayableAmount>238.00</b:PayableAmount></c:LegalMonetaryTotal>
<c:InvoiceLine><b:InvoicedQuantity>2</b:InvoicedQuantity><b:LineExtensionAmount>200.00</b:LineExtensionAmount>
<c:Item><b:Name>Chair</b:Name></c:Item></c:InvoiceLine></Invoice>"""


def pdf_with(path: Path, body: bytes, *, name: str = "factur-x.xml", rows: tuple[str, ...] = ("Rechnung",)) -> Path:
    """A PDF that shows ``rows`` and carries ``body``."""
    sheet = Sheet(595, 842)
    for number, text in enumerate(rows):
        sheet.text(60, 80 + 20 * number, text)
    with pikepdf.open(io.BytesIO(save([sheet], path).read_bytes())) as document:
        document.attachments[name] = pikepdf.AttachedFileSpec(document, body, filename=name)
        document.save(path)
    return path
