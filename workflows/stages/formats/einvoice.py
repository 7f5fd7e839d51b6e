"""Electronic invoices, alone or inside a PDF (Factur-X, ZUGFeRD 1 and 2, XRechnung in CII or UBL): exact values.

Values come from the seller's program, without OCR: amounts as plain decimals, dates as 2024-03-31.
"""

import datetime as dt
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pikepdf
from lxml import etree

from workflows.stages import results
from workflows.stages.base import FieldSpec
from workflows.stages.formats import packages
from workflows.stages.formats.blocks import Block, format_table_row

SOURCE = "embedded_xml"
MOST_BYTES = 16 * 1024**2
_CII = {"CrossIndustryInvoice", "CrossIndustryDocument"}
_UBL = {"Invoice", "CreditNote"}
_CII_SUMS = ("SpecifiedTradeSettlementHeaderMonetarySummation", "SpecifiedTradeSettlementMonetarySummation")
LABELS: Mapping[str, str] = {
    "invoice_number": "Invoice number",
    "date": "Date",
    "due_date": "Due date",
    "seller": "Seller",
    "seller_address": "Seller's address",
    "seller_tax_id": "Seller's tax number",
    "buyer": "Buyer",
    "buyer_address": "Buyer's address",
    "buyer_reference": "Buyer's reference",
    "order_number": "Order number",
    "currency": "Currency",
    "net_total": "Net total",
    "tax_total": "Tax",
    "total": "Total",
    "amount_due": "Amount due",
    "iban": "IBAN",
}
# Alternative field names of a project for values of the standard.
_ALSO = {
    "seller": "company seller issuer vendor supplier seller_name company_name vendor_name supplier_name merchant",
    "buyer": "buyer customer buyer_name customer_name bill_to recipient",
    "seller_address": "address seller_address company_address vendor_address supplier_address",
    "buyer_address": "buyer_address customer_address billing_address",
    "date": "date issue_date invoice_date document_date",
    "due_date": "due_date payment_due payment_due_date",
    "total": "total grand_total gross_total total_amount amount gross_amount invoice_total",
    "amount_due": "amount_due payable_amount due_amount balance_due",
    "net_total": "net_total subtotal net_amount tax_basis_total",
    "tax_total": "tax_total tax vat vat_total tax_amount vat_amount",
    "invoice_number": "invoice_number invoice_no invoice_id number document_number",
    "currency": "currency invoice_currency currency_code",
    "iban": "iban account bank_account",
    "seller_tax_id": "seller_tax_id tax_id vat_id vat_number tax_number seller_vat_id",
    "order_number": "order_number purchase_order po_number order_reference",
    "buyer_reference": "buyer_reference customer_number customer_reference",
}
KNOWN: Mapping[str, str] = {name: key for key, names in _ALSO.items() for name in names.split()}


@dataclass(frozen=True)
class Item:
    name: str
    quantity: str
    price: str
    amount: str
    position: str = ""
    sku: str = ""
    unit: str = ""
    tax_rate: str = ""


@dataclass(frozen=True)
class EInvoiceItems:
    """``items``: values of each by the concepts of ``tables.headings``. ``total``: their sum in the invoice."""

    items: tuple[Mapping[str, str], ...] = ()
    total: str = ""

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "EInvoiceItems":
        """Parse it from an artifact; empty if there is none."""
        if not stored:
            return cls()
        items = ({**one, "description": one["name"], "unit_price": one["price"]} for one in stored["items"])
        return cls(tuple(items), stored["items_total"])


@dataclass(frozen=True)
class EInvoice:
    """``values``: by the names of ``LABELS``; missing values are absent."""

    syntax: str
    values: Mapping[str, str]
    items: tuple[Item, ...]
    items_total: str = ""

    def to_stored(self) -> dict[str, Any]:
        return {
            "syntax": self.syntax,
            "values": dict(self.values),
            "items": [asdict(one) for one in self.items],
            "items_total": self.items_total,
        }


def value_of(values: Mapping[str, str], spec: FieldSpec) -> str | None:
    """Return the field's value in stored form; None if it is missing, or the field has another type."""
    for name in (spec.name, spec.label):
        key = KNOWN.get("_".join(re.findall(r"[a-z0-9]+", name.casefold())))
        if key and (text := values.get(key)):
            return results.to_stored_form(spec.type, text)
    return None


def read_embedded_invoice(path: Path) -> EInvoice | None:
    """Return the invoice in a PDF; None for other PDFs, including damaged and encrypted ones."""
    try:
        with pikepdf.open(path) as document:
            for name, attached in document.attachments.items():
                if name.casefold().endswith(".xml") and (found := parse_invoice(_content(attached))):
                    return found
    except (
        pikepdf.PdfError,
        pikepdf.PasswordError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        zlib.error,
    ):
        return None
    return None


def _content(attached: Any) -> bytes:
    """Return at most ``MOST_BYTES`` of it, whatever its decompressed size."""
    stream = attached.get_file().obj
    raw: bytes = stream.read_raw_bytes()
    filters = stream.get("/Filter", [])
    names = [str(one) for one in filters] if isinstance(filters, pikepdf.Array) else [str(filters)] if filters else []
    if not names:
        return raw[:MOST_BYTES]
    return zlib.decompressobj().decompress(raw, MOST_BYTES) if names == ["/FlateDecode"] else b""


def parse_invoice(body: bytes) -> EInvoice | None:
    """Return None if it is not an invoice, or not XML."""
    try:
        root = etree.fromstring(body, packages.make_xml_parser())
    except (etree.XMLSyntaxError, ValueError):
        return None
    name = packages.local_name(root)
    if name in _CII:
        total = _text(_one(_cii_settlement(root), *_CII_SUMS), "LineTotalAmount")
        return EInvoice("CII", _drop_empty_values(_read_cii(root)), tuple(_cii_items(root)), total)
    if name in _UBL and root.find("{*}ID") is not None:
        total = _text(root, "LegalMonetaryTotal/LineExtensionAmount")
        return EInvoice("UBL", _drop_empty_values(_read_ubl(root)), tuple(_ubl_items(root)), total)
    return None


def _drop_empty_values(values: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key in LABELS if (text := values.get(key, ""))}


def _text(element: Any, *paths: str) -> str:
    """Return the text of the first path that matches; each step is a local name in any namespace."""
    if element is not None:
        for path in paths:
            steps = "/".join("{*}" + step if step not in {".", ""} else step for step in path.split("/"))
            if text := " ".join((element.findtext(steps) or "").split()):
                return text
    return ""


def _one(element: Any, *names: str) -> Any:
    found = (element.find("{*}" + name) for name in names) if element is not None else ()
    return next((one for one in found if one is not None), None)


def _read_cii(root: Any) -> dict[str, str]:
    document = _one(root, "ExchangedDocument", "HeaderExchangedDocument")
    trade = _one(root, "SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction")
    agreement = _one(trade, "ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement")
    settlement = _cii_settlement(root)
    sums = _one(settlement, *_CII_SUMS)
    seller, buyer = _one(agreement, "SellerTradeParty"), _one(agreement, "BuyerTradeParty")
    return {
        "invoice_number": _text(document, "ID"),
        "date": _day(_text(document, "IssueDateTime/DateTimeString")),
        "due_date": _day(_text(settlement, "SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString")),
        "seller": _text(seller, "Name"),
        "seller_address": _cii_address(seller),
        "seller_tax_id": _text(seller, "SpecifiedTaxRegistration/ID"),
        "buyer": _text(buyer, "Name"),
        "buyer_address": _cii_address(buyer),
        "buyer_reference": _text(agreement, "BuyerReference") or _text(buyer, "ID"),
        "order_number": _text(
            agreement, "BuyerOrderReferencedDocument/IssuerAssignedID", "BuyerOrderReferencedDocument/ID"
        ),
        "currency": _text(settlement, "InvoiceCurrencyCode"),
        "net_total": _text(sums, "TaxBasisTotalAmount"),
        "tax_total": _text(sums, "TaxTotalAmount"),
        "total": _text(sums, "GrandTotalAmount"),
        "amount_due": _text(sums, "DuePayableAmount"),
        "iban": _text(settlement, "SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/IBANID"),
    }


def _cii_address(party: Any) -> str:
    place = _one(party, "PostalTradeAddress")
    lines = [_text(place, name) for name in ("LineOne", "LineTwo", "LineThree")]
    town = f"{_text(place, 'PostcodeCode')} {_text(place, 'CityName')}".strip()
    return ", ".join(part for part in (*lines, town) if part)


def _cii_items(root: Any) -> Iterator[Item]:
    for one in root.iter("{*}IncludedSupplyChainTradeLineItem"):
        agreement = _one(one, "SpecifiedLineTradeAgreement", "SpecifiedSupplyChainTradeAgreement")
        settlement = _one(one, "SpecifiedLineTradeSettlement", "SpecifiedSupplyChainTradeSettlement")
        delivery = _one(one, "SpecifiedLineTradeDelivery", "SpecifiedSupplyChainTradeDelivery")
        sums = _one(
            settlement, "SpecifiedTradeSettlementLineMonetarySummation", "SpecifiedTradeSettlementMonetarySummation"
        )
        tax = _one(settlement, "ApplicableTradeTax")
        yield Item(
            _text(one, "SpecifiedTradeProduct/Name"),
            _text(delivery, "BilledQuantity"),
            _text(agreement, "NetPriceProductTradePrice/ChargeAmount"),
            _text(sums, "LineTotalAmount"),
            _text(one, "AssociatedDocumentLineDocument/LineID"),
            _text(one, "SpecifiedTradeProduct/SellerAssignedID"),
            _unit(delivery, "BilledQuantity"),
            _text(tax, "RateApplicablePercent", "ApplicablePercent"),
        )


def _cii_settlement(root: Any) -> Any:
    trade = _one(root, "SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction")
    return _one(trade, "ApplicableHeaderTradeSettlement", "ApplicableSupplyChainTradeSettlement")


def _unit(element: Any, name: str) -> str:
    found = _one(element, name)
    return "" if found is None else str(found.get("unitCode") or "")


def _read_ubl(root: Any) -> dict[str, str]:
    seller = _one(_one(root, "AccountingSupplierParty"), "Party")
    buyer = _one(_one(root, "AccountingCustomerParty"), "Party")
    sums = _one(root, "LegalMonetaryTotal")
    names = ("PartyLegalEntity/RegistrationName", "PartyName/Name")
    return {
        "invoice_number": _text(root, "ID"),
        "date": _day(_text(root, "IssueDate")),
        "due_date": _day(_text(root, "DueDate", "PaymentMeans/PaymentDueDate")),
        "seller": _text(seller, *names),
        "seller_address": _ubl_address(seller),
        "seller_tax_id": _text(seller, "PartyTaxScheme/CompanyID"),
        "buyer": _text(buyer, *names),
        "buyer_address": _ubl_address(buyer),
        "buyer_reference": _text(root, "BuyerReference"),
        "order_number": _text(root, "OrderReference/ID"),
        "currency": _text(root, "DocumentCurrencyCode"),
        "net_total": _text(sums, "TaxExclusiveAmount"),
        "tax_total": _text(root, "TaxTotal/TaxAmount"),
        "total": _text(sums, "TaxInclusiveAmount"),
        "amount_due": _text(sums, "PayableAmount"),
        "iban": _text(root, "PaymentMeans/PayeeFinancialAccount/ID"),
    }


def _ubl_address(party: Any) -> str:
    place = _one(party, "PostalAddress")
    lines = [_text(place, name) for name in ("StreetName", "AdditionalStreetName")]
    town = f"{_text(place, 'PostalZone')} {_text(place, 'CityName')}".strip()
    return ", ".join(part for part in (*lines, town) if part)


def _ubl_items(root: Any) -> Iterator[Item]:
    for one in root.iter("{*}InvoiceLine", "{*}CreditNoteLine"):
        yield Item(
            _text(one, "Item/Name", "Item/Description"),
            _text(one, "InvoicedQuantity", "CreditedQuantity"),
            _text(one, "Price/PriceAmount"),
            _text(one, "LineExtensionAmount"),
            _text(one, "ID"),
            _text(one, "Item/SellersItemIdentification/ID"),
            _unit(one, "InvoicedQuantity") or _unit(one, "CreditedQuantity"),
            _text(one, "Item/ClassifiedTaxCategory/Percent"),
        )


def _day(text: str) -> str:
    """CII writes 20180305, UBL 2018-03-05; a few append a time. Empty if it is not a date."""
    digits = re.sub(r"\D", "", text)[:8]
    try:
        return dt.datetime.strptime(digits, "%Y%m%d").replace(tzinfo=dt.UTC).date().isoformat()
    except ValueError:
        return ""


def invoice_blocks(invoice: EInvoice) -> Iterator[Block]:
    """Yield a readable form of an XML invoice."""
    for key, text in invoice.values.items():
        yield Block(f"{LABELS[key]}: {text}", title="Invoice", starts=key == next(iter(invoice.values)))
    if invoice.items:
        yield Block(format_table_row(("Item", "Quantity", "Price", "Amount")) + "\n| --- | --- | --- | --- |")
        for one in invoice.items:
            yield Block(format_table_row((one.name, one.quantity, one.price, one.amount)))
