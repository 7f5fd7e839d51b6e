"""The total payable: by label, place, repetition and arithmetic."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from workflows.stages import values
from workflows.stages.fields import nets, sum_words, sums
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_line
from workflows.stages.fields.sums import PAID_WITH, Sum
from workflows.stages.pages import text_page
from workflows.stages.pages.layout import Line, Row

_NO_TOTAL = re.compile(
    r"\b(qty|quantity|items?|savings?|points?|discount|disc|tax amount|tax:|change|tendered|rounding( adj\w*)?|gst amt|"
    r"total (gst|tax|vat|sst|units|saving|discount|qty)|balance b/f|item count|you saved|wechselgeld|ruckgeld|zuruck|"
    r"rendu|vuelto|troco|rabatt|"
    r"number of|approval|deposit|anzahlung\w*)\b(?!.*\b(payable|due)\b)",
    re.IGNORECASE,
)
_PAYMENT = re.compile(
    r"\b(cash|visa|master(card)?|debit|credit|card|(?<!to be )paid|payment|received|tender|accepted|amex|bar|"
    r"ec-karte|especes|bancaire|efectivo|tarjeta|contant[ei]|dinheiro)\b"
    r"(?!.*\btotal\b.*\bpayable)",
    re.IGNORECASE,
)
_PAYABLE = re.compile(
    r"\b(grand\s?total|total\s?due|amount\s?due|balance\s?due|total\s?(amount\s?)?payable|amount\s?payable|nett?\s?total|"
    r"nett?\s?payable|(nett?|reste|montant|total) a payer|"
    r"rounded\s?total|total\s?rounded|to be paid|final\s?total|total after|zahlbetrag|zu\s?zahlen|bruttosumme|"
    r"please pay|you pay|to settle|amount (?:charged|owing)|pay this amount|gesamtbetrag(?! der)|rechnungsbetrag|"
    r"endbetrag|gesamtsumme|bill\s?(?:amt|amount|total)|to\s?pay|total\s?ttc|importe total|gross amount|gross total)\b",
    re.IGNORECASE,
)
_BEFORE_TAX = re.compile(
    r"\b(sub\s?-?total|zwischensumme|nettobetrag|nett? (?:amount|value)|amount nett?|taxable|assessable|exc|excl\w*|"
    r"(?:before|without|net of|ex) (?:tax(?:es)?|vat|gst|levy|duty|excise|service|charges?)|"
    r"ohne (?:ust|mwst)|(?:total|montant|net) h\.? ?t|hors taxes?|"
    r"positionssumme|warenwert|goods total|total goods|netto)\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(total(?:sales?|amount|cad|nzd|euro?|incl?)?|jumlah|am?ount incl\w*|am(oun)?t paid|gesamt|summe)\b",
    re.IGNORECASE,
)
_BALANCE = re.compile(r"^\W*balance\b(?!\s*(?:b/f|brought|c/f|forward))", re.IGNORECASE)
_AMOUNT = re.compile(r"\b(amount|nett|betrag|montant|importe)\b", re.IGNORECASE)
_INCLUDING = re.compile(r"\b(am(oun)?t|anount|total)\b.*\bincl", re.IGNORECASE)
# The first match gives the points: "Subtotal (qty 4)" is a sum, "Total qty" is not. Labels have no accents here.
LABELS = (
    (4.5, nets.PAYABLE),
    (0.5, _BEFORE_TAX),
    (0.5, sum_words.bound(sum_words.BEFORE_TAX)),
    (-3.0, _NO_TOTAL),
    (-3.0, sum_words.bound(sum_words.NO_TOTAL)),
    (3.0, _INCLUDING),
    (PAID_WITH, _PAYMENT),
    (4.5, sum_words.bound(sum_words.PAYABLE)),
    (PAID_WITH, sum_words.bound(sum_words.PAID)),
    (4.5, _PAYABLE),
    (3.0, _TOTAL),
    (3.0, sum_words.bound(sum_words.TOTAL)),
    (2.5, _BALANCE),
    (1.0, _AMOUNT),
    (1.0, sum_words.bound(sum_words.AMOUNT)),
)
# Totals in a table of tax rates are not the document's.
SUMMARY = re.compile(
    r"\b(gst|tax|vat|sst)\s*(summary|analysis|code)|ust\.? ?satz|steueraufschl\w*|tax\s*\(rm\)", re.IGNORECASE
)
_TENDERED = re.compile(r"\btender", re.IGNORECASE)
_CHANGE = -3.0  # points
_NONE = Decimal(0)
_UNNAMED = 2.5  # points, more than amounts that are printed again get
_DECIMALS = re.compile(r"\d[.,]\d{2}(?!\d)")
_LONGEST_LABEL = 200  # characters
MONEY = re.compile(r"[€$£¥₹₪]|\b(rm|usd|eur|gbp|rs|inr|chf|sgd|myr)\b|rm(?=\d)", re.IGNORECASE)


@dataclass(frozen=True)
class _PrintedSums:
    """The consistency of amounts: sums that follow from others, those that others follow from, and the lines' sum.

    ``unnamed``: the orders of the lines' sum without a label, and of what follows from it; the last one is the total.
    ``larger``: the largest amount below these, which may be the total after a tax.
    ``money``: the lines with the sign or code of a currency, by identity.
    """

    proven: frozenset[Decimal]
    passed: frozenset[Decimal]
    lines: frozenset[Decimal]
    unnamed: tuple[int, ...]
    larger: Decimal
    repeats: Counter[str]
    money: frozenset[int]


def find_totals(document: Document) -> list[Candidate]:
    found = sums_of(document)
    paper = _gather_sums(found)
    judged = [_rate_total(one, paper) for one in found if one.value >= 0]
    return best_first(judged if any(candidate.points > 0 for candidate in judged) else _guess_unlabelled_total(judged))


def _guess_unlabelled_total(candidates: list[Candidate]) -> list[Candidate]:
    """Without a readable label, guess the largest amount."""
    return [replace(candidate, points=0.1 + min(1.0, float(candidate.value) / 1e6)) for candidate in candidates]


def _gather_sums(found: Sequence[Sum]) -> _PrintedSums:
    chains = sums.find_sum_chains(found)
    ends = {chain.target for chain in chains}
    lines = sums.of_lines(found)
    from_lines = {lines} | {chain.target for chain in chains if chain.base == lines} if lines else set()
    unnamed = sums.find_unnamed(found)
    below = (one.value for one in found if unnamed and one.order > unnamed[-1].order and not one.points)
    from_lines |= {one.value for one in unnamed}
    return _PrintedSums(
        frozenset({*sums.find_proven_sums(found), *ends}),
        frozenset(chain.base for chain in chains) - ends,
        frozenset(from_lines),
        tuple(one.order for one in unnamed),
        max(below, default=_NONE),
        Counter(one.hit.value for one in found if not one.in_summary),
        frozenset(
            place for place, line in {id(one.line): one.line for one in found}.items() if MONEY.search(line.text)
        ),
    )


def sums_of(document: Document) -> list[Sum]:
    """List every amount of money in reading order, without irrelevant ones."""
    found = (replace(one, order=order) for order, one in enumerate(_tell_change(_sums(document))))
    settled = nets.settle([one for one in found if one.value > 0 or one.points < 0 or one.step is not None])
    # Total SST inside is no sum of taxes if it is what the sum before it and the tax add up to.
    taxed = {target.order for _, target in sums.find_taxed([one for one in settled if not one.in_summary])}
    return [replace(one, points=sums.SUMMED) if one.order in taxed and one.points < 0 else one for one in settled]


def _tell_change(found: Iterable[Sum]) -> Iterator[Sum]:
    """A balance is payable, unless it follows a payment: then it is change."""
    paid = False
    for one in found:
        yield replace(one, points=_CHANGE) if paid and _BALANCE.search(one.label) else one
        paid = paid or bool(_PAYMENT.search(one.label) or _TENDERED.search(one.label))


def _sums(document: Document) -> Iterator[Sum]:
    # Each amount of a row looks up the row's words. Not cached by process, since they are document text.
    points_of = functools.lru_cache(maxsize=256)(label_points)
    summary_since: tuple[int, int] | None = None  # page and row of a tax table's heading
    whole_sums = _has_whole_sums(document, points_of)
    typed = {page.index for page in document.pages if page.source == text_page.SOURCE}
    over = ""  # the words of a row without an amount: the label of an unlabelled one below
    for number, row in enumerate(document.rows):
        if SUMMARY.search(row.text):
            summary_since = (row.page, number)
        inside = summary_since is not None and summary_since[0] == row.page and 0 <= number - summary_since[1] <= 5
        amounts = [
            (line, hit, label)
            for line, hit, label in _label_amounts(row, over, points_of)
            if _is_money(hit, line, label, points_of(label), whole_sums=whole_sums, is_typed=row.page in typed)
        ]
        over = "" if amounts else sum_words.plain(row.text)
        for line, hit, label in amounts:
            yield Sum(line, hit, label, points_of(label), inside)


def _has_whole_sums(document: Document, points_of: Callable[[str], float]) -> bool:
    """Whether a sum before tax and its total are printed without decimals, and no amount with them."""
    if _DECIMALS.search(document.text):
        return False
    labels = {label for row in document.rows for _, _, label in _label_amounts(row, "", points_of)}
    nets_printed = [label for label in labels if nets.is_net(label) or points_of(label) == sums.SUMMED]
    return bool(nets_printed) and any(points_of(label) >= nets.TOTALLED for label in labels - set(nets_printed))


def _label_amounts(row: Row, over: str, points_of: Callable[[str], float]) -> Iterator[tuple[Line, values.Hit, str]]:
    """Label every amount of a row by the nearest words before it that denote a sum, else by all words of the row.

    ``over`` labels an amount that stands alone: TOTAL, and RM 404.84 in the row below.
    """
    whole = " ".join(_words(line.text) for line in row.lines)
    whole = over if over and not re.search(r"[^\W\d_]", MONEY.sub("", whole)) else whole[:_LONGEST_LABEL]
    since = nearest = ""  # words since the previous amount; and the last line of the row with words
    for line in row.lines:
        end = 0
        if sum(map(str.isalpha, line.text)) > 2:
            nearest = ""
        for hit in values.amounts_in(repair_digits(line.text)):
            passed = line.text[end : hit.start]
            since, nearest, end = _last(f"{since} {passed}"), _last(f"{nearest} {passed}"), hit.end
            just = _last(passed)
            labels = (just,) if sums.is_added(just) else (just, nearest, since)
            yield line, hit, next((label for label in labels if points_of(label)), just if len(labels) == 1 else whole)
            if re.search(r"[.,]\d{2}$", hit.raw):
                since = nearest = ""
        since, nearest = _last(f"{since} {line.text[end:]}"), _last(f"{nearest} {line.text[end:]}")


def _last(words: str) -> str:
    """Limit a label's length, as a line of thousands of amounts must not be searched whole for each."""
    return sum_words.plain(words[-_LONGEST_LABEL:])


def repair_digits(text: str) -> str:
    """Replace letters by digits inside amounts, one by one so that positions stay: RMI11.9O → RM111.90."""
    text = re.sub(r"(?<=RM)[OoIl](?=[\d.,])", lambda match: "0" if match[0] in "Oo" else "1", text)
    text = re.sub(
        r"(?<=[\d.,])[OoIl](?=[\d.,])|(?<=[.,]\d)[OoIl]\b", lambda match: "0" if match[0] in "Oo" else "1", text
    )
    text = re.sub(r"(?<![^\s:])S(?=\d[\d,]*[.,]\d\d\b)", "$", text)
    return re.sub(r"(?<=\d)[{}](?=\d)", ".", text)


def _words(text: str) -> str:
    return sum_words.plain(re.sub(r"(?<![\d.,])[.,]*\d[\d.,]*", " ", text))


def label_points(label: str) -> float:
    return next((points for points, pattern in LABELS if pattern.search(label)), 0.0)


def _is_money(hit: values.Hit, line: Line, label: str, points: float, *, whole_sums: bool, is_typed: bool) -> bool:
    """Require two decimals, or for whole numbers a currency or a strong label; never a percentage.

    ``whole_sums``: any label of a sum is strong. ``is_typed``: one decimal is taken as a whole number is, since sheets
    keep no zero at the end (100.2); on paper a digit may be missing.
    """
    if line.text[hit.end :].lstrip().startswith("%"):
        return False
    if re.search(r"[.,]\d{2}\)?-?$", hit.raw):
        return True
    whole = re.search(r"\d[.,]\d+$", hit.raw) is None or re.search(r"[.,]\d{3}$", hit.raw) is not None
    whole = whole or (is_typed and re.search(r"\d[.,]\d$", hit.raw) is not None)
    strong = points >= 4.0 or (whole_sums and (points >= sums.SUMMED or sums.is_added(label)))
    return whole and (bool(MONEY.search(hit.raw)) or (strong and len(hit.raw) <= 9))


def _rate_total(found: Sum, paper: _PrintedSums) -> Candidate:
    agreed = found.value in paper.proven and found.value > 0
    passed, lines = found.value in paper.passed, found.value in paper.lines
    again = min(3, paper.repeats[found.hit.value] - 1)
    points = found.points + 1.5 * agreed + 0.5 * max(0, again) - 2.5 * found.in_summary - 2.0 * (found.value == 0)
    points -= 2.0 * (passed and found.points > 0)  # tax, discount or rounding lead from it to another sum
    points += _UNNAMED * (found.order in paper.unnamed[-1:])
    before = found.order in paper.unnamed and found.value < paper.larger
    evidence = {
        "label": max(0.0, min(1.0, found.points / 4.0)),
        "arithmetic": float(agreed),
        "lines": float(lines),
        "passed": float(passed),
        "net": float((nets.is_net(found.label) or found.points == sums.SUMMED or before) and not agreed),
        "repeats": max(0, again) / 3,
        "money": float(id(found.line) in paper.money),
    }
    return of_line(found.line, found.hit.value, found.hit.start, found.hit.end, points, **evidence)
