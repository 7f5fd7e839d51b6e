"""Sellers that do not exist, with the names, addresses and habits of printing that real ones have; seeded."""

from dataclasses import dataclass
from random import Random

_FIRST = (
    "SOON HENG", "MAJU JAYA", "BINTANG", "GOLDEN LEAF", "SRI MURNI", "TAN WEI", "LUCKY STAR", "PERDANA", "KIM LEONG",
    "NORTHGATE", "BLUE ANCHOR", "OAKFIELD", "HARTMANN", "WESTEND", "SEVEN HILLS", "RIVERSIDE", "UNI GREEN", "D'RASA",
    "POINT BAR", "KWONG FATT", "B & T", "MERIDIAN", "SYARIKAT LIM", "EVERBEST", "M.K. ONG", "TWO RIVERS", "VIVA",
    "ORIENT", "SAFFRON", "CITY LINK", "A1 PLUS", "TERATAI", "HUAT SENG", "DAMAI", "ALPINE", "J&K", "RED BRICK",
)  # fmt: skip
_TRADE = (
    "TRADING", "HARDWARE", "STATIONERY", "ENTERPRISE", "RESTAURANT", "CAFE", "MINI MARKET", "PHARMACY", "BOOKSTORE",
    "BAKERY", "AUTO PARTS", "CASH & CARRY", "MACHINERY", "HOME DECO", "GIFTS", "DELI", "KITCHEN", "SPORTS", "OPTICS",
    "LIGHTING", "FRESH", "TOYS", "PRINT",
)  # fmt: skip
_LEGAL = ("SDN BHD", "SDN. BHD.", "S/B", "BHD", "LTD", "LIMITED", "GMBH", "INC", "PTE LTD", "CO.")
_STREETS = (
    "JALAN MERANTI {n}", "JALAN SS {n}/{m}", "JLN GENTING {n}", "LORONG BUNGA {n}", "PERSIARAN JAYA", "LEBUH PANTAI",
    "JALAN KPB {n}", "STATION ROAD", "HIGH STREET", "MILL LANE", "PARK AVENUE", "KINGS ROAD", "JALAN TUN RAZAK",
    "JALAN BUNGA RAYA {n}/{m}A", "JALAN PJU {n}/{m}", "BATU {n} JALAN KAPAR",
)  # fmt: skip
_AREAS = (
    "TAMAN SRI PUTRA", "TAMAN MALURI", "BANDAR BARU", "KAWASAN PERINDUSTRIAN RINTIS", "SEKSYEN 13", "DESA PARK",
    "USJ 9", "TAMAN DAYA", "PUSAT BANDAR", "KOTA DAMANSARA", "MONT KIARA",
)  # fmt: skip
_TOWNS = (
    ("81100", "JOHOR BAHRU", "JOHOR"), ("43300", "SERI KEMBANGAN", "SELANGOR"), ("50480", "KUALA LUMPUR", ""),
    ("40150", "SHAH ALAM", "SELANGOR DARUL EHSAN"), ("10200", "GEORGETOWN", "PENANG"), ("30000", "IPOH", "PERAK"),
    ("47400", "PETALING JAYA", "SELANGOR"), ("75000", "MELAKA", ""), ("28700", "BENTONG", "PAHANG DARUL MAKMUR"),
)  # fmt: skip
_MALLS = ("IOI MALL", "SUBANG PARADE", "MID VALLEY", "SUNWAY PYRAMID", "THE SUMMIT", "QUEENSBAY")


@dataclass(frozen=True)
class Vendor:
    """``brand``: what stands large above the name, if anything does. ``addresses``: its branches', as printed lines."""

    company: str
    brand: str
    registration: str
    addresses: tuple[tuple[str, ...], ...]
    style: int  # how its till prints: one vendor's papers look alike


def vendors(count: int, seed: int) -> list[Vendor]:
    random = Random(seed)
    made: dict[str, Vendor] = {}
    while len(made) < count:
        one = _vendor(random)
        made.setdefault(one.company, one)
    return list(made.values())


def _vendor(random: Random) -> Vendor:
    first = random.choice(_FIRST)
    kind = random.random()
    if kind < 0.62:
        company = f"{first} {random.choice(_TRADE)} {random.choice(_LEGAL)}"
    elif kind < 0.74:
        company = f"{first} (M) {random.choice(_LEGAL[:4])}"
    elif kind < 0.92:
        company = f"{first} {random.choice(_TRADE)}"
    else:
        company = first if len(first) > 6 else f"{first} HOUSE"
    brand = f"{random.choice(_FIRST)}" if random.random() < 0.22 else ""
    branches = random.choice((1, 1, 1, 2, 3))
    registration = random.choice(
        (
            "",
            f"({random.randint(100000, 999999)}-{random.choice('AHKMPTUVX')})",
            f"CO. REG: {random.randint(100000, 999999)}-{random.choice('AHKMPTUVX')}",
            f"(JM0{random.randint(100000, 999999)}-W)",
            f"Company No : {random.randint(100000, 999999)}-{random.choice('AHKMPTUVX')}",
        )
    )
    return Vendor(
        company, brand, registration, tuple(_address(random) for _ in range(branches)), random.randrange(1 << 30)
    )


def _address(random: Random) -> tuple[str, ...]:
    if random.random() < 0.08:  # in a mall, without a street
        return (f"{random.choice(_FIRST)}, {random.choice(_MALLS)}",)
    street = random.choice(_STREETS).format(n=random.randint(1, 48), m=random.randint(1, 19))
    number = random.choice(
        (
            f"NO.{random.randint(1, 199)}",
            f"NO. {random.randint(1, 99)}G & {random.randint(1, 99)}G",
            f"LOT {random.randint(100, 9999)}",
            f"{random.randint(1, 240)}",
            f"G-{random.randint(1, 40)}",
            f"PT{random.randint(1000, 29999)}",
        )
    )
    area = random.choice(_AREAS) if random.random() < 0.7 else ""
    code, town, state = random.choice(_TOWNS)
    last = " ".join(part for part in (code, town) if part)
    unit = random.choice(("", "", "", "2ND FLOOR, WISMA {}", "G-0{}, MENARA PERAK", "LEVEL {}, BLOCK D1"))
    unit = unit.format(random.choice(("COSMO", "SELASIH")) if "WISMA" in unit else random.randint(1, 9))
    parts = [unit, f"{number}, {street}", area, last, state]
    lines = _folded([part for part in parts if part], random)
    if random.random() < 0.12:
        lines.append(
            random.choice((f"({random.choice(_MALLS)})", f"{random.randint(1000, 1999)}-{random.choice(_AREAS)}"))
        )
    return tuple(lines)


def _folded(parts: list[str], random: Random) -> list[str]:
    """Parts joined into lines as a till does it: by width, with commas or without."""
    comma = random.choice((", ", ", ", " "))
    end = random.choice((",", ",", ""))
    lines, width = [parts[0]], random.choice((24, 34, 46))
    for part in parts[1:]:
        if len(lines[-1]) + len(part) < width:
            lines[-1] += comma + part
        else:
            lines[-1] += end
            lines.append(part)
    if random.random() < 0.3:
        lines[-1] += "."
    return lines
