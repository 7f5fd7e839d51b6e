"""A sixth list of words for the drawings of ``unlike`` and ``abroad``; abroad's papers are of six more countries.

Drawn by ``python -m tests.generated.draw unmet FOLDER COUNT SEED``, first with seed 590213. Of what the earlier draws
print only the plain word TOTAL, legal forms, ways to write a day and, in unlike, kinds of postcode and names of taxes
are left. Whoever changes rules with a draw of these words in sight needs others.
"""

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

UNLIKE = unlike.Words(
    families=(
        "Aldington", "Bakhtiar", "Chaudhry", "Delamere", "Ellsworth", "Fothergill", "Goh Swee Lan", "Hathaway",
        "Inglis", "Jamaludin", "Karuppiah", "Loxley", "Merriweather", "Norhayati", "Okonedo", "Pfeiffer", "Quennell",
        "Ramasamy", "Satterthwaite", "Tan Siew Lian", "Upjohn", "Voigt", "Wooldridge", "Yunus", "Anchor & Hope",
        "Bramble", "Copper Kettle", "Duck Pond", "Eagle", "Feather", "Silver Fleece", "Hedgehog", "Jackdaw",
        "Lamplight", "Nettle", "Pepperpot", "Red Barn", "Snowdrop", "Two Rivers", "Willow Pattern",
    ),
    trades=(
        "Antiques", "Ramen Bar", "Ribbons", "Brake Centre", "Shrubs", "Pantry", "Staircases", "Bridles",
        "Fish Tanks", "Tobacconist", "Dumplings", "Sorbets", "Tea Rooms", "Cushions", "Batteries", "Signs", "Planks",
        "Watches", "Vinyl", "Rojak", "Rotisserie", "Blinds", "Farm Shop", "Exhausts", "Stitching", "Bagels",
    ),
    roads=(
        ("Jalan Kenanga {}", "Jln Perdana {}/2", "Lorong Seri {}", "No. {}-1, Jalan Tiong", "{} Lebuh Bukit"),
        ("{} Tampines Street 81", "Blk {} Bedok North Road #01-88", "{} Kallang Bahru", "{} Pasir Panjang Hill"),
        ("{} Church Walk", "{} Butter Row", "Unit {} Canal Business Centre", "{}-{} Swan Hill", "{} The Parade"),
        ("{} S Magnolia Ave", "{} Old Mill Rd Bldg 3", "{} State Route 44", "{} Heron Ct"),
        ("Shop {}, Riverlink Mall", "{} Hindley St", "{} Bruce Highway", "{} Banksia Crescent"),
        ("Uhlandstr. {}", "Beim Brunnen {}", "Kastanienring {}", "Kornmarkt {}"),
    ),
    places=(
        ("41000 Klang, Selangor", "31000 Batu Gajah, Perak", "75000 Melaka", "91000 Tawau, Sabah"),
        ("Singapore 529508", "Singapore 460201", "S(427801)"),
        ("Totnes TQ9 5RY", "Derby DE1 2GU", "Wrexham LL11 1AT", "Perth PH1 5TJ", "Whitby YO21 3PU"),
        ("Augusta, GA 30901", "Rochester, MN 55901", "Pocatello, ID 83201", "Tulsa, OK 74103"),
        ("Bundaberg QLD 4670", "Shepparton VIC 3630", "Hobart TAS 7000", "Mount Gambier SA 5290"),
        ("99423 Weimar", "17489 Greifswald", "88212 Ravensburg", "46483 Wesel"),
    ),
    sayings=(
        "Forty years in the same family", "Where the kettle is always on", "Sundays from noon", "Good to see you",
        "Baked twice a day", "shop.twobarns.example", "Phone orders 0161 496 0744", "Next to the bus station",
        "On duty: K. Lindley", "",
    ),
    things=(
        "Seeded cob", "Sencha 100g", "Ristretto", "Milo dinosaur", "Super unleaded 28.9L", "Throat sweets",
        "Golden syrup", "Nasi ulam", "Steak & ale pie", "Claw hammer", "Undercoat 2.5L", "Dahlia tubers",
        "Screen wipes", "Pint bitter", "Maultaschen", "Alster 0,5", "Child portion", "Tempura soba", "Hamster hay",
        "Ruled pad A5",
        "Zip 40cm", "Prawn rings",
    ),
    payable=(
        ("TOTAL", "Total Plus SST", "Total To Be Paid", "Jumlah Perlu Bayar", "Total (Rounded)"),
        ("TOTAL", "Total To Be Paid", "Total For Bill", "Total SGD"),
        ("TOTAL", "Your total", "Total pounds", "Amount for settlement", "Kindly pay"),
        ("TOTAL", "Total For Bill", "Sale total now", "Total in USD"),
        ("TOTAL", "Total For Bill", "Sale total now", "Total in AUD"),
        ("TOTAL", "Rechnungssumme EUR", "Bruttosumme EUR", "Zu begleichen", "Endbetrag"),
    ),
    taxes=("SST=6%", "GST=7%", "VAT (20%)", "Tax (State)", "GST in total", "MwSt. 19 %"),
    titles=("/ / / / /", "= SALES SLIP =", "Nice to meet you", "Beleg für Kunden"),
    owners=("A shop of", "In the hands of", ""),
    numbers=("Co. Reg. {}", "({}-M)"),
    contacts=("Voice {}", "Line {}", "Tax record {}", "GST/VAT no. {}"),
    office="Reg. office: {} Kingsmead Road",
    customers=("Customer: PASSING TRADE", "Sold to: counter", "Client: Hobbs & Daughter", "Kundin 20331"),
    dates=("Sale date", "Einkauf vom", "Day & hour"),
    facts=(
        "Entry", "Waiter {}", "Bench {}", "Heads: {}", "Desk 0{} By {} No {}", "Counterfoil: {}", "Cashed by: {}",
        "Dy: {}", "Time: {}",
    ),
    issues=("Counter Invoice", "Bill of sale", "Vorgangsnr."),
    issued="Paid on {}",
    valid="Points expire 30/09/2033",
    net=("Total less tax", "Basket", "Zw.-Summe"),
    discounts=("Crew price", "Bundle saving", "Coupon 12"),
    counts=("Total items", "Articles taken"),
    included=("therein", "Tax within", "enth."),
    payments=("Cash put down", "Cash out", "MASTERCARD ************{}", "Code {}  Chip", "Paid by QR"),
    refunds="Exchange by {}",
    thanks=("Until next time", "Bis morgen", "Jalan baik-baik", "Keep this for returns"),
    adverts=("Score us online", "Powered by Cashline", "Join the club at example.net"),
)  # fmt: skip

_COUNTRIES = (
    Country(
        ("Aasen", "Bakke", "Dahl", "Fjeldstad", "Grønn", "Hovland", "Kvamme", "Nygård", "Solheim", "Øvrebø"),
        ("{} Bakeri AS", "{} Jernvare", "Kafé {}", "{} Blomster ENK", "{} Sport AS", "{} Apotek", "Gjestgiveri {}"),
        ("Storgata {}", "Kirkeveien {}", "Torggata {}", "Strandgaten {} B"),
        ("0181 Oslo", "5014 Bergen", "7011 Trondheim", "9008 Tromsø"),
        ("%d.%m.%Y", "%d.%m.%y", "%Y-%m-%d"), "kr ", ("Å betale", "Totalt NOK", "Sum NOK", "TOTAL"),
        (("Herav mva 25%", 200),), added=False, comma=True,
    ),
    Country(
        ("Aalto", "Hämäläinen", "Järvi", "Koskela", "Lehtonen", "Mäkinen", "Niemi", "Pöllö", "Rantanen", "Särkkä"),
        ("{} Oy", "Kahvila {}", "{} Rauta Oy", "Ravintola {}", "Kukkakauppa {} Ky", "{} Optiikka", "Leipomo {}"),
        ("Hämeenkatu {}", "Satamatie {}", "Mannerheimintie {} A", "Puistokuja {}"),
        ("00100 Helsinki", "33200 Tampere", "20100 Turku", "90100 Oulu"),
        ("%d.%m.%Y", "%d.%m.%y", "%Y-%m-%d"), "", ("YHTEENSÄ", "Maksettavaa EUR", "Summa EUR", "TOTAL"),
        (("Sis. alv 24%", 194),), added=False, comma=True,
    ),
    Country(
        ("Balogh", "Csárdás", "Erdős", "Fekete", "Gólya", "Horváth", "Kőszegi", "Molnár", "Szűcs", "Tölgyes"),
        ("{} Kft.", "{} Pékség", "{} Vendéglő", "{} és Társa Bt.", "{} Patika", "{} Cukrászda Kft."),
        ("Kossuth utca {}.", "Rákóczi út {}", "Széchenyi tér {}.", "Fő u. {}/a"),
        ("1052 Budapest", "6720 Szeged", "4024 Debrecen", "7621 Pécs"),
        ("%Y.%m.%d.", "%Y.%m.%d", "%Y-%m-%d"), "", ("ÖSSZESEN", "Fizetendő Ft", "Összesen HUF", "Végösszeg Ft"),
        (("ebből ÁFA 27%", 213),), added=False, comma=True,
    ),
    Country(
        ("Bolívar", "Caldas", "El Cafetal", "Guatapé", "La Candelaria", "Medellín", "Nariño", "Quintero", "Zuluaga"),
        ("Panadería {} S.A.S.", "Droguería {}", "Restaurante {}", "Ferretería {} Ltda.", "Almacén {} S.A.S",
         "Cigarrería {}", "Papelería {}"),
        ("Calle {} # 14-22", "Carrera {} No. 8-51", "Cra {} # 93A-06", "Transversal {} # 45-10"),
        ("Bogotá D.C.", "Medellín, Antioquia", "Cali - Valle", "Cartagena"),
        ("%d/%m/%Y", "%Y-%m-%d", "%d-%m-%Y"), "$ ", ("TOTAL", "Total COP", "Valor a cancelar", "Total factura"),
        (("IVA incluido 19%", 160),), added=False,
    ),
    Country(
        ("Al-Habib", "Bismillah", "Chenab", "Faisal", "Gulberg", "Iqbal", "Karachi", "Rehman", "Shalimar", "Zafar"),
        ("{} Karyana Store", "{} Sweets & Bakers", "{} Traders (SMC-Private) Limited", "{} Medicos", "{} Cloth House",
         "{} & Brothers", "{} Broast"),
        ("Shop No. {}, Liberty Market", "{}-B, Block 6, PECHS", "{} Mall Road", "Plot {}, Street 11, F-7/2"),
        ("Lahore", "Karachi 75400", "Islamabad 44000", "Saddar, Rawalpindi"),
        ("%d-%m-%Y", "%d/%m/%Y", "%d-%b-%Y"), "Rs. ", ("TOTAL", "Net Bill", "Total PKR", "Amount Receivable"),
        (("Sales tax 17%", 170),), added=True,
    ),
    Country(
        ("Anugerah", "Bintang", "Cahaya", "Garuda", "Jaya", "Kartini", "Makmur", "Nusantara", "Sinar", "Tirta"),
        ("Toko {}", "Warung {}", "PT {} Abadi", "CV {} Mandiri", "Apotek {}", "RM {} Sederhana", "Toko Bangunan {}"),
        ("Jl. Diponegoro No. {}", "Jl. Gatot Subroto Kav. {}", "Gang Mawar {}", "Ruko Citra Blok B{}"),
        ("Jakarta Selatan 12930", "Surabaya 60271", "Bandung, Jawa Barat", "Denpasar - Bali"),
        ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y"), "Rp ", ("TOTAL", "Total Rp", "Jumlah Bayar", "Total Tagihan"),
        (("PPN 11%", 110),), added=True,
    ),
)  # fmt: skip

ABROAD = abroad.Words(
    countries=_COUNTRIES,
    things=(
        "Skillingsbolle", "Karjalanpiirakka", "Lángos", "Arepa con queso", "Chicken karahi", "Nasi goreng",
        "Spiker 3x60", "Lonkero 0,33", "Gulyás", "Ajiaco", "Seekh kebab 4", "Es teh manis", "Vaffel", "Ruisleipä",
        "Túró Rudi", "Panela 500g", "Basmati 1kg", "Kecap manis", "Lyspære", "Kalsarit", "Zokni", "Sombrero",
        "Shalwar stitching",
    ),
    greetings=("SALGSKVITTERING", "KUITTI", "Nyugta", "Documento equivalente POS", "Retail Memo", "Struk belanja", ""),
    mottos=("Perheyritys vuodesta 1956", "Alltid ferskt", "Hecho con amor", "Quality is our habit",
            "Melayani dengan hati"),
    phones=("Tlf", "Puh", "Telp", "Cel"),
    numbers=("Foretaksnr", "Y-tunnus", "Adószám", "NIT", "NTN", "NPWP"),
    facts=(
        "Bong {}", "Pvm: {}", "Kasse nr {}", "Sorszám", "Kelt", "Kasir", "Meja {}", "Comensales {}", "Tilaus {}",
        "Fecha {} hora {}",
    ),
    staff=("Ingrid", "Eero", "Zsófia", "Dewi"),
    heads=("Varer", "Tuote", "Megnevezés"),
    net=("Value excl. tax", "Before PPN", "Neto gravado"),
    rounding=("Pyöristys", "Kerekítés"),
    counts=("Antall varer", "Jumlah item", "Tételek száma"),
    cash=("Kontanter", "Käteinen", "Tunai diterima"),
    change=("Vekslepenger", "Visszajáró", "Kembalian"),
    cards=("Bankkort", "Korttimaksu", "Kartu debit"),
    paid="Betalt {} ref. {}",
    means=("Vipps", "MobilePay", "Nequi"),
    warranty="Takuu {} asti",
    thanks=("Takk for handelen", "Kiitos käynnistä", "Köszönjük", "Lo esperamos pronto", "Terima kasih banyak"),
)  # fmt: skip
