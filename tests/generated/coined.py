"""Receipts as ``fresh`` draws them, of words made up for each seed; labels and goods are a third list's.

``python -m tests.generated.coined FOLDER COUNT SEED`` fills ``FOLDER/unlike`` and ``FOLDER/abroad``. Names, streets,
towns and postcodes are no two seeds'. Whoever changes rules with such a draw in sight needs other labels.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

# How words of a language begin, go on and end.
_SOUNDS = {
    "english": (
        "Al Bar Cal Den El Far Gren Hal Ken Lang Mar Nor Os Pres Red Shel Thur Wal Wen",
        "a er in o ",
        "bury combe den ford ham ley low man ner sby shaw ton wood worth",
    ),
    "malay": (
        "An Be Ce Da Ga Hi Je Ka La Me Na Pa Ra Se Te Wa",
        "la ma nda ri sa ti wa",
        "ding han jung kar lang mbar ngan rah sih tang yu",
    ),
    "german": (
        "Al Berg Dorn Eich Feld Grei Hoh Kirch Lang Mar Neu Ost Rau Stein Wald",
        "en er ",
        "bach berg brunn dorf eck feld hausen heim stedt tal",
    ),
    "french": (
        "Au Beau Char Du For Gran La Mon Per Ro Sau Va",
        "ba li mo ri te vi ",
        "champ court don gnac lier mont nay ray rieux ville",
    ),
    "indian": (
        "Am Bha Cha De Gan Hari Jay Kal Lax Man Nag Par Raj Sha Vij",
        "a i ani ",
        "bhar dev kar lal nath pur rao sagar tesh vati",
    ),
    "irish": (
        "Ard Bally Car Clon Cool Dun Ennis Glen Kil Lis Mul",
        "a in o ",
        "bawn carrig dare fin gar keel lin mure roe town",
    ),
    "maori": ("A Ha Ka Ma Nga Pa Ra Ta Wai Whe", "ka ra to ", "hine kura mate nui pai roa tiri whana"),
    "chinese": (
        "Bo Cheuk Fai Hang Kwai Lik Mei Pak Shun Tin Wai Ying",
        " ",
        "Chun Fung Hei Kong Lung Man Shek Tat Wo Yat",
    ),
}


def _coin(random: Random, language: str) -> str:
    start, middle, end = _SOUNDS[language]
    between = random.choice(middle.split(" ")) or (" " if language == "chinese" else "")
    return random.choice(start.split()) + between + random.choice(end.split())


def _digits(random: Random, pattern: str) -> str:
    """``#``: a digit; ``@``: a capital; ``$``: the sign #."""
    drawn = {"#": "123456789", "@": "ABDEFHJLNPRSTUWX", "$": "#"}
    return "".join(random.choice(drawn.get(one, one)) for one in pattern)


def _fill(random: Random, patterns: Sequence[str], language: str) -> tuple[str, ...]:
    """``~``: a coined word."""
    return tuple(_digits(random, one).replace("~", _coin(random, language)) for one in patterns)


_UNLIKE = unlike.Words(
    families=(),
    trades=(
        "Fruiterers", "Wine Cellar", "Sushi", "Gearboxes", "Orchids", "Poultry", "Plumbing", "Drapery", "Bird Seed",
        "Perfumery", "Remedies", "Satay", "Trattoria", "Oyster Bar", "Wallpaper", "Computers", "Larder", "Hotpot",
        "Footwear", "Scooters", "Eyewear", "Guitars", "Glazing", "Lodge", "Papercraft", "Alterations",
    ),
    roads=(
        ("Jalan ~ {}", "Jln ~ {}", "Lorong ~ {}", "No {}, Jalan ~", "Lot {}, Persiaran ~"),
        ("{} ~ Road", "Blk {} ~ Ave 2 $0#-##", "{} ~ Drive", "{} Upper ~ Street"),
        ("{} ~ Lane", "{} ~ Street", "Unit {}, ~ Industrial Park", "{}-{} ~ Yard", "{} ~ Gardens"),
        ("{} N ~ Ave", "{} ~ St Suite #", "{} ~ Pkwy", "{} E ~ Dr"),
        ("Shop {}, ~ Plaza", "{} ~ Street", "{} ~ Rd", "{} ~ Terrace"),
        ("~str. {}", "Am ~ {}", "~weg {}", "~platz {}"),
    ),
    places=(
        ("##### ~, Selangor", "##### ~, Kedah", "##### ~", "##### ~, Johor"),
        ("Singapore ######", "Singapore ######", "S(######)"),
        ("~ NR# #@@", "~ EX## #@@", "~ TQ# #@@", "~ HG# #@@"),
        ("~, ID 83###", "~, OH 44###", "~, WA 98###", "~, NM 87###"),
        ("~ NSW 2###", "~ VIC 3###", "~ TAS 7###", "~ SA 5###"),
        ("##### ~", "##### ~", "##### ~", "##### ~"),
    ),
    sayings=(
        "In business since 1971", "Honest food, honest prices", "Daily 7.30 to 21.00", "~~ HELLO ~~",
        "Made on the premises",
        "orders.cornerhouse.example", "Any questions? 0845 555 0199", "Site 46", "Shift lead: M. Oduya", "",
    ),
    things=(
        "Rye loaf", "Oolong 50g", "Macchiato", "Milo ais", "Diesel 40.2L", "Loratadine 10s", "Honey jar",
        "Char kway teow",
        "Ploughmans", "Saddle cover", "Gloss black 750ml", "Grass seed 1kg", "Button cell 2s", "Half of stout",
        "Leberkäse m. Senf", "Radler 0,5", "High tea", "Donburi A", "Fish flakes", "Padded bags A5", "Wool scarf",
        "King prawns",
    ),
    payable=(
        ("TOTAL", "Total Charges", "Total Owing", "Jumlah Keseluruhan", "Total Now Due (RM)"),
        ("TOTAL", "Total Charges", "Total Owing", "Pay This Amount"),
        ("TOTAL", "Total now due", "Total charged", "Pay this amount", "Total sterling"),
        ("TOTAL", "Total Charged", "Total Owing", "Ticket Total"),
        ("TOTAL", "Total Owing", "Total Charged", "Total Inclusive"),
        ("TOTAL", "Zahlbetrag", "Total in EUR", "Summe EUR", "Zu bezahlen"),
    ),
    taxes=("6% SST", "GST (7%)", "20% VAT", "Tax 8%", "GST inside", "inkl. 19% MwSt"),
    titles=("- - - - -", "< TILL RECEIPT >", "We value your visit", "Kassenzettel"),
    owners=("Run by", "A division of", ""),
    numbers=("Reg. no. {}", "<{}-P>"),
    contacts=("Phone us {}", "Tel.: {}", "Tax ref {}", "VAT/GST {}"),
    office="Head Office: {} Sundial Court",
    customers=("Client: WALK IN", "Account: Sundry", "Invoice to: Tolland Group", "Kundennr 90177"),
    dates=("When", "Verkaufsdatum", "TIME/DATE"),
    facts=("Receipt ref", "Host: {}", "Bay {}", "Diners: {}", "REG 0{} USR {} SEQ {}", "Ticket: {}", "Assisted by: {}",
           "Written: {}", "Hour: {}"),
    issues=("Cash Invoice", "Till invoice", "Kassenbeleg"),
    issued="Written {}",
    valid="Points lapse 31/10/2032",
    net=("Excl. tax", "Sum before tax", "Zwischensumme netto"),
    discounts=("Regulars' discount", "Deal", "Club price"),
    counts=("Units", "Articles"),
    included=("incl", "with", "darin"),
    payments=("Cash paid", "Cash back", "AMEX ************{}", "Ref {}  Tap", "Settled from balance"),
    refunds="Bring back by {}",
    thanks=("Mind how you go", "Bis bald", "Datang lagi", "Save this receipt"),
    adverts=("How was your visit?", "Printed by Tillworks", "News on example.org"),
)  # fmt: skip
_LANGUAGES = ("malay", "english", "english", "english", "english", "german")

# Language, then the patterns of names, roads, places and totals of each country; the rest is the other draws'.
_PATTERNS = (
    ("indian", ("{} Silks", "Hotel {}", "{} Super Bazaar", "{} Electricals Pvt. Ltd.", "M/s {} Cycles",
     "{} Agencies Private Limited",
                "{} Stationers", "{} Tyres"),
     ("{} ~ Road", "No. {}, 2nd Cross, ~", "Door No. {}, ~ Street", "Plot {}, ~ Nagar"),
     ("~ 5#####", "~ - 6## ###", "~ 3#####", "~ - 4## ###"), ("TOTAL", "Total Charges", "Total Due Now",
      "Pay This Amount")),
    ("french", ("Fromagerie {}", "Traiteur {}", "Bistrot {} SARL", "Fleuriste {}", "{} Informatique SAS",
     "Menuiserie {} SARL"),
     ("{}, rue de ~", "{} avenue de ~", "{} place ~", "{} cours ~"), ("69### ~", "31### ~", "44### ~", "67### ~"),
     ("TOTAL", "Total dû", "Somme due", "Total net")),
    ("english", ("{} Lumber Inc.", "{} Pancake House", "{} Apothecary", "{} Glass Ltd.", "{} Feed & Seed",
     "{} Marine Co."),
     ("{} ~ St", "{} ~ Avenue", "Unit {}, 90 ~ St", "{}-12 ~ Road NE"),
     ("~, ON M#@ #@#", "~ MB R#@ #@#", "~, AB T#@ #@#", "~ NS B#@ #@#"), ("TOTAL", "Total Charged", "Total Owing",
      "Ticket Total")),
    ("irish", ("{} Stores", "{}'s Lounge", "{} Opticians Ltd.", "{} Tiles", "The {} Kitchen", "{} Farm Supplies",
     "{} Oil Limited"),
     ("{} ~ Street", "{} ~ Road", "Unit {} ~ Business Park", "~ Street"),
     ("~", "~ T## @###", "~ V## @@##", "Dublin #"), ("TOTAL", "Total now due", "Total charged", "TOTAL EURO DUE")),
    ("maori", ("{} Kitchen", "{} Builders Depot", "{} Superette", "{} Honey Ltd", "{} Vets Limited", "{} Holiday Park"),
     ("{} ~ Street", "{} ~ Road", "{} ~ Rd", "Shop {}, ~ Mall"), ("~ 1###", "~ 6###", "~ 8###", "~"),
     ("TOTAL", "Total Charged", "Total Owing", "Total Inclusive")),
    ("chinese", ("{} Congee", "{} Industrial Company Limited", "{} Herbs", "{} Watch Co. Ltd.", "{} Toys",
     "{} Roast Meats"),
     ("Shop {}, 2/F, ~ Building", "{} ~ Road West", "{}/F, ~ House", "{} ~ Street"),
     ("~", "~, Hong Kong", "~, Hong Kong", "~, Kowloon"), ("TOTAL", "Total HK$", "Total Charges", "Pay This Amount")),
)  # fmt: skip
_ABROAD = abroad.Words(
    countries=(),
    things=(
        "Upma", "Éclair", "Fan belt", "Barmbrack", "Har gow", "Vitamin D 60s", "Pain complet", "Bucket 10L",
        "Yuenyeung",
        "Sandpaper", "Lungo", "Sea trout", "Wall planner", "Cup hooks", "Peaches 0.6kg", "Menu enfant", "Sausage roll",
        "Unleaded 22.3L", "Check-up", "Fuse 13A", "Samosa", "Hand cream", "Linen trousers",
    ),
    greetings=("TAX MEMO", "COUNTER SALE", "Note client", "TILL COPY", "Table Bill", "FILE COPY", ""),
    mottos=("Good things daily", "In business since 1971", "Owner managed", "Late opening Thursdays"),
    phones=("Cell", "Ring", "Tél.", "Contact"),
    numbers=("GST Number", "RCS Paris", "Business No", "VAT Reg", "GST Reg No", "CR No"),
    facts=("Voucher No: {}", "Day: {}", "Window {}", "Doc #", "Raised on", "You were served by", "Bay {}", "Diners {}",
           "Ticket {}", "Drawn up on {} at {}"),
    staff=("Kavita", "Bruno", "Aoife", "Mei Yan"),
    heads=("What", "Article", "Produit"),
    net=("Sum before tax", "EXCL. TAX", "Hors taxes"),
    rounding=("Cents off", "Rounded"),
    counts=("Units", "Lines", "Nb lignes"),
    cash=("Cash paid", "Cash in", "Donné"),
    change=("Cash back", "To return", "A rendre"),
    cards=("AMEX", "Card payment", "Paiement CB"),
    paid="Received {} ref. {}",
    means=("by transfer", "by cheque", "by app"),
    warranty="Covered until {}",
    thanks=("We hope to see you soon", "Bonne journée", "Safe home", "No exchange without this paper"),
)  # fmt: skip


def coin_words(seed: int) -> tuple[unlike.Words, abroad.Words]:
    random = Random(f"coined {seed}")
    families = tuple(_coin(random, random.choice(("english", "malay", "german", "indian"))) for _ in range(40))
    roads = tuple(_fill(random, one, at) for one, at in zip(_UNLIKE.roads, _LANGUAGES, strict=True))
    places = tuple(_fill(random, one, at) for one, at in zip(_UNLIKE.places, _LANGUAGES, strict=True))
    countries = tuple(_coin_country(random, *one) for one in zip(_PATTERNS, abroad.USUAL.countries, strict=True))
    return replace(_UNLIKE, families=families, roads=roads, places=places), replace(_ABROAD, countries=countries)


def _coin_country(random: Random, pattern: tuple[str, *tuple[tuple[str, ...], ...]], usual: Country) -> Country:
    language, (names, roads, places, totals) = pattern[0], pattern[1:]
    words = tuple(_coin(random, language) for _ in range(9))
    roads, places = _fill(random, roads, language), _fill(random, places, language)
    return replace(usual, words=words, names=names, roads=roads, places=places, totals=totals)


def fill(folder: Path, count: int, seed: int) -> None:
    of_unlike, of_abroad = coin_words(seed)
    unlike.fill(folder / "unlike", count, seed, words=of_unlike)
    abroad.fill(folder / "abroad", count, seed, words=of_abroad)


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
