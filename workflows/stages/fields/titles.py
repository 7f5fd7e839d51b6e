"""Titles of documents, near the sender but neither name nor address: TAX INVOICE, Guest Check."""

import re

from workflows.stages.fields import sum_words

# Without accents, in the languages that the local OCR supports. OCR takes i, l and 1 for each other: Retall Memo.
_KIND = (
    "receipts?|records?|invoices?|memo|bill|check|cheque|copy|slip|docket|voucher|chit|tab|statement|note|beleg|bon|zettel|kassenbon|bonkopie|"
    "quittung|rechnung|facture|ticket|factura|boleta|comprobante|recibo|recu|fattura|scontrino|ricevuta|documento|kopie|copie|"
    "copia|proofofpurchase|kassabon|factuur|kwitantie|fatura|talao|cupom|nota|paragon|faktura|rachunek|uctenka|doklad|blok|"
    "nyugta|szamla|chitanta|fis|fisi|makbuz|kvitto|kvittering|kuitti|lasku|racun|kvitas|cekis|ceks|kvits|kviitung|arve|"
    "resit|struk|kuitansi|kwitansi|invois|hoadon|phieu|resibo|risiti|tiquete|stvrzenka|bloczek|bizonylat|sorszam|selge|apodeixi"
)
_OF = (
    "tax|sales?|retail|vat|gst|cash|credit|simplified|official|original|duplicate|customers?|merchants?|guests?|store|shop|"
    "purchase|house|account|order|table|transaction|our|your|the|of|for|"
    "office|till|file|counter|payment|dining|bar|de|da|do|di|kunden|handler|kassen|caisse|client|simplificada|simplificado|fiscal|fiscale|"
    "fiskalny|commerciale|compra|venta|venda|vat|danovy|prodejni|bon|hoa|don|bilgi|satis|jualan|tunai|cukai|penjualan|"
    "kupni|klanten|cliente|kunde|nao|non|electronic|electronica|electronico|electronique|eletronica|eletronico|elettronica|elektronische|"
    "zjednoduseny|equivalente|equivalent|pos|consumidor|consumo|salgs|kjops|kobs|forsaljnings|kassa|kasse|myynti|osto|belanja|"
    "pembelian|pembayaran|pembeli|sprzedazy|prodeje|prodajni|vasarlasi|eladasi|keszpenzes"
)


def _fold(text: str) -> str:
    return text.replace("l", "i").replace("1", "i").replace("0", "o")


_NAMED, _AROUND = _fold(_KIND), _fold(_OF)
_TITLE = re.compile(rf"(?:{_AROUND}){{0,3}}(?:{_NAMED})(?:{_AROUND}|{_NAMED}){{0,3}}|(?:cash|counter)saies?|kas[sz]a")
_NAMED_LAST = re.compile(rf"(?:[^\W\d_]{{1,40}}\W{{1,2}}){{1,2}}(?:{_NAMED})")
_BETWEEN = re.compile(r"[\W_]+")


def is_title(text: str) -> bool:
    """Return True if the line is only a title, even if OCR lost its spaces."""
    return len(text) < 40 and _TITLE.fullmatch(_fold(_BETWEEN.sub("", sum_words.plain(text)).casefold())) is not None


def ends_as_title(text: str) -> bool:
    """Return True for one or two words of whatever language before a title's last word: Pokladničný doklad."""
    return len(text) < 40 and _NAMED_LAST.fullmatch(_fold(sum_words.plain(text).casefold()).strip()) is not None
