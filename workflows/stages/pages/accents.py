"""Removal of stray accents from OCR results, by the language of each page.

The engine puts stray marks on letters of languages without any: SETIA ÁLAM. The project's languages do not decide which
are stray: a French page keeps CLÉMENT, and an English page its Café. On every page, a word keeps its marks if the
engine is confident: it is for NÜRNBERG (0.87–1 on fourteen worn documents), and was not for any stray mark (0.61 at
most). So two such words tell, too, that the language has marks: beside Babić and Ožujsko, Radića keeps its own.
"""

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+")
_TOLD_BY = 2  # distinct words of one language
SURE = 0.8  # 0–1, confidence from which a word keeps its marks
# One line a language, or a family of them; without marks, since these may be lost. Words that English or Malay has as
# well, or that are names of shops, are omitted.
_LANGUAGES = tuple(
    frozenset(line.split())
    for line in """
rue quai tva ttc siret siren sarl sas sasu eurl montant payer especes rendu merci votre visite caisse bancaire prix
facture du des les chez dont quantite heure designation pharmacie librairie lundi mardi mercredi jeudi vendredi samedi
mwst ust straße strasse bahnhofstr rechnung summe gesamtbetrag betrag uhr danke vielen ihren einkauf gmbh inhaber kasse
steuernummer rechnungsbetrag kassenbon kundenbeleg beleg zahlen brutto netto tisch und mit wir davon
calle avda avenida iva factura fatura importe gracias fecha efectivo cambio nif cif camarero mesa visita rua obrigado
contribuinte troco lda dinheiro recibo
iva scontrino totale contante contanti resto grazie documento commerciale importo pagato piazza srl snc
btw bedankt kassabon totaal wisselgeld aantal bedrag straat
cupom cnpj cpf consumidor dinheiro troco valor obrigado obrigada
boleta comprobante electronica electronico ruc nit vuelto efectivo importe fecha gracias
gracies efectiu canvi quantitat carrer iva
moms kvitto kvittering takk belop ialt butik kontant gatan vej alv yhteensa kuitti kiitos
vsk samtals kvittun takk fyrir afgangur
paragon fiskalny nip ptu gotowka razem suma reszta sprzedaz dziekujemy
dph celkem celkom uctenka doklad dekujeme dakujeme hotovost afa osszesen nyugta kft utca koszonjuk
tva lei ron numerar achitat casier strada multumim bucati
pdv ddv ukupno skupaj racun iznos znesek gotovina povrat kusur placeno blagajna ulica hvala
pvm moketi kvitas aciu suma grynais kiekis gatve
pvn kopa ceks paldies iela samaksai skaidra
kaibemaks kokku tasuda arve kviitung sularaha aitah
tvsh fature shuma pagese gjithsej faleminderit
kdv topkdv toplam tarih saat vergi nakit fis fisi tutar odenecek adet tesekkur tesekkurler
hoa tien thanh toan
""".strip().splitlines()
)
_BORROWED = frozenset(
    ("café", "cafés", "crème", "crêpe", "crêpes", "brûlée", "pâté", "rosé", "jalapeño", "piñata", "à")
)


def have_accents(words: Iterable[tuple[str, float]]) -> bool:
    """Return True if a page is in a language with accents, by words of one or by sure marks.

    ``words``: with scores.
    """
    printed, marked = set[str](), set[str]()
    for text, score in words:
        found = {word.casefold() for word in _WORD.findall(text)}
        printed |= set(map(bare, found))
        if score >= SURE:
            marked |= {word for word in found - _BORROWED if bare(word) != word}
    return len(marked) >= _TOLD_BY or any(len(printed & language) >= _TOLD_BY for language in _LANGUAGES)


def drop_stray(text: str) -> str:
    """Remove accents except from loanwords in English."""
    return _WORD.sub(lambda word: word[0] if word[0].casefold() in _BORROWED else bare(word[0]), text)


class _Bare(dict[int, str]):
    """Each character without its marks, looked up once: whole texts are asked about for each amount in them."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = unicodedata.normalize("NFD", char)[0] if "LATIN" in unicodedata.name(char, "") else char
        return self[code]


_BARE = _Bare()


def bare(text: str) -> str:
    """Remove the marks of Latin letters; other characters stay."""
    return text.translate(_BARE)
