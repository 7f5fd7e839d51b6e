"""Whether accents belong to what was read: papers of a project in English come from abroad too.

The engine puts stray marks on letters of languages that have none: SETIA ÁLAM. A project's languages alone do not tell
which are stray: a page that speaks French keeps CLÉMENT, and a page in English its Café.
"""

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]+")
_TOLD_BY = 2  # different words of one language
# One line a language, or a family of them; without their marks, since these may be lost. What English or Malay has as
# well, also as a shop's name, tells nothing and is left out.
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
moms kvitto kvittering takk belop ialt butik kontant gatan vej alv yhteensa kuitti kiitos
paragon fiskalny nip ptu gotowka razem suma reszta sprzedaz dziekujemy
dph celkem celkom uctenka doklad dekujeme hotovost afa osszesen nyugta kft utca koszonjuk strada multumim
kdv toplam tarih saat vergi nakit tesekkur
""".strip().splitlines()
)
_BORROWED = frozenset(
    ("café", "cafés", "crème", "crêpe", "crêpes", "brûlée", "pâté", "rosé", "jalapeño", "piñata", "à")
)


def have_accents(texts: Iterable[str]) -> bool:
    """Whether the lines of a page speak a language whose letters have marks."""
    words = {word for text in texts for word in _WORD.findall(bare(text).casefold())}
    return any(len(words & language) >= _TOLD_BY for language in _LANGUAGES)


def drop_stray(text: str) -> str:
    """Without marks but on words that English borrowed with theirs."""
    return _WORD.sub(lambda word: word[0] if word[0].casefold() in _BORROWED else bare(word[0]), text)


def bare(text: str) -> str:
    """Latin letters without their marks; other characters as they are."""
    return "".join(
        unicodedata.normalize("NFD", char)[0] if "LATIN" in unicodedata.name(char, "") else char for char in text
    )
