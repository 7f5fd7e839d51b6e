"""Labels of sums in the languages that the local OCR supports, without accents.

One language a line; the more complex English, German, French and Malay ones are in ``totals``.
"""

import re
from functools import cache

from workflows.stages.pages.accents import bare


def _any(lines: str) -> str:
    return "|".join(part for line in lines.strip().splitlines() for part in line.split("|"))


# Amounts payable.
PAYABLE = _any(r"""
te betalen|te voldoen|verschuldigd
zu bezahlen
(?:total |valor |importe |suma |monto )?(?:a|por) pagar
(?:totale )?da pagare|totale complessivo|importo totale
do zap[lł]aty
k (?:uhrade|zaplaceni|zaplateniu)|celkem k uhrade
fizetendo|vegosszeg
(?:total )?de (?:plata|platit|achitat)
odenecek(?: tutar)?|genel toplam
att betala|[aå] betale|at betale|slutsumma
maksettava\w*|loppusumma
za (?:platiti|placanje|placilo|uplatu|naplatu)|sveukupno
moketi(?:na)?|is viso moketi
(?:kopa )?apmaksai
tasuda|tasumisele kuulub
til greidslu
per tu paguar|per pagese
pl[iı]eredo
harus dibayar|total (?:bayar|belanja)
tong (?:cong|tien)|phai tra
jumla kuu
(?:المبلغ|الإجمالي|الاجمالي) المستحق|לתשלום
应付|應付|实付|實付|ご請求額?|お支払\w*
""")
# Totals.
TOTAL = _any(r"""
totaa?le?s?|totaalbedrag|eindtotaal|factuurbedrag
totali|shuma
razem|suma|lacznie|[lł][aą]cznie|ogolem
celkem|celkom|spolu|soucet
osszesen|osszeg
toplam
totalt|summa|i ?alt|samtals
yhteensa
ukupno|skupaj
is viso|kopa|kokku
kabuuan|jumla
thanh tien
(?:ال)?[إا]جمالي|المجموع|סה["״]כ
合計|合计|总计|總計|总额|總額
συνολο
""")
AMOUNT = _any(r"""
bedrag|importo|iznos|znesek|tutar|kwota|castka|belop|beloeb
""")
BEFORE_TAX = _any(r"""
sub\s?-?totaa?le?|sous\s?-?total
(?:ex[ck]l|ekskl)\w*|zonder btw|ex btw
(?:base )?imponibile?|base tribut\w*|sin iva|sem iva|senza iva|totale merce|fara tva
podsuma|wartosc netto|bez (?:dph|ptu|vat|pdv|ddv)
mezisoucet|medzisucet|zaklad dane|osnovica
reszosszeg|netto|adoalap
ara toplam|matrah
delsum(?:ma)?|netto|uten mva|utan moms
valisumma|veroton|ilman alv
medju?zbroj|me[dđ]uzbroj|vmesna vsota
tarpine suma|starpsumma|vahesumma
tam tinh|sub jumlah
小計|小计
المجموع الفرعي|לפני מע["״]מ
""")
# Payments.
PAID = _any(r"""
contant|betaald|gepind|pinbetaling|bankpas
efectivo|dinheiro|multibanco|contanti|pagato|pagado|forma de pago
got[oó]wka|hotovost\w*|gotovin\w*|keszpenz|numerar|nakit|kontant\w*|kateinen|grynais|grynieji|skaidra nauda|sularaha
tunai|tien mat|karte|karta|karti?c[ae]|kortti|kort|kredi karti|bankkartya|tarjeta|carta di credito|cartao
現金|现金|お預り
""")
# Not totals: change, discounts, rounding, counts and sums of taxes.
NO_TOTAL = _any(r"""
(?:totaa?le?s?|suma|summa?|razem|celkem|ukupno|yhteensa|toplam) (?:vat|alv|afa|kdv)(?!\W{0,3}inc)
(?:totaa?le?s?|suma|summa?|razem|celkem|ukupno) (?:de |di |da )?(?:btw|iva|tva|moms|mva|dph|pdv|ddv|ptu)(?!\W{0,3}inc)
(?:totaa?le?s?|suma|celkem) (?:de |di |da |do )?(?:korting|sconto|descuento|desconto|rabat\w*|sleva|arti[kc]\w*)
wisselgeld|terug|korting|aantal|afronding|statiegeld
cambio|descuento|redondeo|cantidad|articulos|propina
troco|desconto|arredondamento|quantidade
resto|sconto|arrotondamento|quantita
reszta|rabat|zaokr\w*|ilosc
vraceno|vratit|vydano|sleva|zlava|mnozstvi
visszajaro|kedvezmeny|kerekites
reducere|rotunjire|cantitate
para ustu|indirim|yuvarlama
vaxel|tillbaka|avrundning|oresavrundning|byttepenge|vekslepenge|tilbake
vaihtoraha|takaisin|pyoristys|alennus
povrat|vracilo|za vratiti|popust
graza|nuolaida|atlikums|atlaide|tagasi|allahindlus
kembali(?:an)?|diskon|tien thoi|giam gia
お釣り?|找零|税額
""")
# Taxes added to a sum, and deductions.
ADDED = _any(r"""
moms|mva|dph|pdv|ddv|kdv|ptu|pvn|pvm|alv|afa|ppn|gct|igv|icms|itbis|afronding|zaokr\w*|redondeo|arrotondamento
""")
TAKEN = _any(r"""
korting|descuento|desconto|sconto|rabat|sleva|zlava|kedvezmeny|reducere|indirim|alennus|popust|diskon|nuolaida|atlaide
""")


@cache
def bound(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_])(?:{words})(?![^\W\d_])", re.IGNORECASE)


def plain(text: str) -> str:
    """Remove accents, which OCR may have lost."""
    return text if text.isascii() else bare(text)
