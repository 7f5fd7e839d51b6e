"""A ninth list of words for the drawings of ``unlike`` and ``abroad``; abroad's papers are of six more countries.

Drawn by ``python -m tests.generated.draw unspoken FOLDER COUNT SEED``, first with seed 291127. Of what the earlier
draws print only the plain word TOTAL, legal forms, ways to write a day and, in unlike, kinds of postcode and names of
taxes are left. Whoever changes rules with a draw of these words in sight needs others.
"""

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

UNLIKE = unlike.Words(
    families=(
        "Arkwright", "Birtwistle", "Chew Mei Fong", "Dinsdale", "Eckersall", "Fairclough", "Gunaratnam", "Hebblewhite",
        "Ismail Harun", "Jebaraj", "Kettlewell", "Lau Siew Peng", "Micklethwait", "Nazri Omar", "Oglethorpe",
        "Pickersgill", "Ruslan Bakri", "Schröter", "Toh Wei Ming", "Umpleby", "Veerasamy", "Winterbottom", "Zainuddin",
        "Barley Mow", "Tin Whistle", "Sandpiper", "Fiddler's Elbow", "Gilded Acorn", "Hare & Hounds", "Ivy House",
        "Jolly Waggoner", "Kestrel Court", "Lark Rise", "Mulberry Bush", "Nutmeg", "Old Tannery", "Pear Drop",
        "Quince Tree", "Rook & Raven", "Tumbledown",
    ),
    trades=(
        "Aquaria", "Barbers", "Cameras", "Doughnuts", "Etchings", "Falafel Bar", "Gloves", "Herbalists",
        "Instruments", "Jewels", "Kilts", "Lamps", "Moped Parts", "Noodles", "Ovens", "Pasties", "Quills", "Roastery",
        "Shutters", "Toys & Games", "Utensils", "Vapes", "Whisky Shop", "Yarns", "Nasi Lemak House", "Laksa Kitchen",
    ),
    roads=(
        ("Jalan Raja Laut {}", "Jln Melati {}/7", "Lorong Kenanga {}", "{}A Lebuh Pantai", "Lot {}, Jalan Gudang Baru"),
        ("{} Jurong Gateway Rd", "Blk {} Hougang Street 21 #01-07", "{} Telok Blangah Way", "{} Sultan Gate"),
        ("{} Tanners Street", "{} Saddler Mews", "Unit {} Foundry Works", "{}-{} Butcher Lane", "{} Low Petergate"),
        ("{} W Sycamore St", "{} Harvest Rd Unit 3", "{} State Route 12", "{} Meadowlark Ln"),
        ("Shop {}, Pier Central", "{} Waymouth St", "{} Hume Freeway", "{} Wattle Crescent"),
        ("Rückertstr. {}", "Am Alten Hafen {}", "Birkenweg {}", "Salzmarkt {}"),
    ),
    places=(
        ("35900 Tanjung Malim, Perak", "28000 Temerloh, Pahang", "06000 Jitra, Kedah",
         "88000 Kota Kinabalu, Sabah"),
        ("Singapore 608532", "Singapore 530205", "S(198496)"),
        ("Malton YO17 7LX", "Ludlow SY8 1AS", "Oban PA34 4LN", "Penrith CA11 7PT", "Diss IP22 4AB"),
        ("Salem, OR 97301", "Fargo, ND 58102", "Dublin, GA 31021", "Provo, UT 84601"),
        ("Gympie QLD 4570", "Echuca VIC 3564", "Ulverstone TAS 7315", "Port Pirie SA 5540"),
        ("19370 Parchim", "08523 Plauen", "87561 Oberstdorf", "25813 Husum"),
    ),
    sayings=(
        "Bread worth waking for", "Pensioners free on Fridays", "Ring the bell twice", "If it creaks we oil it",
        "Hand-poured by the sea", "hello.tinwhistle.example", "Collections 01904 555 0177", "Behind the bus depot",
        "Shop captain: J. Dube", "",
    ),
    things=(
        "Cheese scone", "Ceylon loose 100g", "Cortado small", "Teh tarik ais", "Petrol 19.6L", "Plasters 20s",
        "Muscovado 500g", "Mee rebus", "Ham hock", "Plumb bob", "Filler 1kg", "Allium bulbs", "Chain link",
        "Bitter half", "Weisswurst Paar", "Weisse 0,3", "Matinee menu", "Udon bowl", "Parrot mix", "Index cards",
        "Buttons 12mm", "Curry puff",
    ),
    payable=(
        ("TOTAL", "Total Beside SST", "You owe us", "Jumlah Perlu Dijelaskan", "Total After Cents"),
        ("TOTAL", "You owe us", "Bill comes to", "Total SGD now"),
        ("TOTAL", "Total of all", "In pounds", "Now to be paid", "Please hand over"),
        ("TOTAL", "Tab comes to", "Amount of sale", "Total USD due"),
        ("TOTAL", "Tab comes to", "Amount of sale", "Total and GST"),
        ("TOTAL", "Endsumme EUR", "Bitte zahlen", "Betrag des Einkaufs", "Summe mit Steuer"),
    ),
    taxes=("SST (8%)", "GST 9.0%", "VAT @ 20% std", "State and city tax", "GST within", "MwSt 19% voll"),
    titles=("_ . _ . _", "[ YOUR TILL SLIP ]", "Glad you came", "Einkaufsbeleg"),
    owners=("In the care of", "The shop of", ""),
    numbers=("Company reg {}", "({}-Q)"),
    contacts=("Speak with us {}", "Phone line {}", "Tax number {}", "VAT id of shop {}"),
    office="Registered at: {} Dovecote Rise",
    customers=("Customer: NO CARD", "Sold to: passing trade", "Buyer: Harlan Group", "Kunde: ohne Karte"),
    dates=("Sold this day", "Eingekauft am", "Rung up"),
    facts=(
        "Sale code", "Pulled by {}", "Inglenook {}", "At table: {}", "Drawer 0{} Op {} Seq {}", "Strip: {}",
        "Keyed by: {}", "Upon: {}", "Minute: {}",
    ),
    issues=("Sale Slip", "Shop receipt", "Kassenstreifen"),
    issued="Rung up on {}",
    valid="Offer ends 31/01/2037",
    net=("Goods before tax", "Sum ahead of tax", "Summe vor Steuer"),
    discounts=("Neighbour price", "Second half off", "Stamp card"),
    counts=("How many", "Pieces sold"),
    included=("taxed at", "Tax share", "schon dabei"),
    payments=("Coins and notes in", "Cash handed back", "UNIONPAY ************{}", "Nr {}  Wave", "Paid by ring"),
    refunds="Exchange till {}",
    thanks=("See you at the fair", "Gute Fahrt nach Hause", "Sampai berjumpa", "Hold on to this"),
    adverts=("Rate your barista", "Till by Ledgerly", "Deals at example.com"),
)  # fmt: skip

_COUNTRIES = (
    Country(
        ("Bevk", "Cankar", "Dolenc", "Golob", "Hočevar", "Kranjc", "Mlakar", "Potočnik", "Žagar", "Zupančič"),
        ("{}, d. o. o.", "Pekarna {}", "Lekarna {}", "Gostilna {}", "Cvetličarna {} s.p.", "{} Trgovine d.d.",
         "Mesarija {}"),
        ("Slovenska cesta {}", "Prešernova ulica {}", "Trubarjeva {}", "Glavni trg {}a"),
        ("1000 Ljubljana", "2000 Maribor", "SI-3000 Celje", "6000 Koper"),
        ("%d.%m.%Y", "%d. %m. %Y", "%d.%m.%y"), "", ("TOTAL", "Za plačilo EUR", "Skupaj EUR", "Skupna vrednost"),
        (("DDV 22% v ceni", 180),), added=False, comma=True,
    ),
    Country(
        ("Aavik", "Ilves", "Kask", "Lepik", "Mägi", "Õunapuu", "Pärn", "Rebane", "Tamme", "Vaher"),
        ("{} OÜ", "Pagariäri {}", "Apteek {}", "Kohvik {}", "{} Kaubandus AS", "Lillepood {}", "{} Toidukaubad OÜ"),
        ("Pikk {}", "Narva mnt {}", "Riia tn {}", "Lossi plats {}-4"),
        ("10123 Tallinn", "51004 Tartu", "80010 Pärnu", "Viljandi"),
        ("%d.%m.%Y", "%Y-%m-%d", "%d/%m/%Y"), "", ("TOTAL", "Kokku EUR", "Tasuda EUR", "Summa kokku"),
        (("KM 22% sees", 180),), added=False, comma=True,
    ),
    Country(
        ("Claes", "De Smet", "Goossens", "Hermans", "Janssens", "Lambert", "Maes", "Peeters", "Vandenbroeck",
         "Willems"),
        ("Bakkerij {} BV", "Boulangerie {} SRL", "Apotheek {}", "Frituur {}", "{} Doe-het-zelf NV", "Librairie {} SA",
         "Slagerij {}"),
        ("Kerkstraat {}", "Chaussée de Wavre {}", "Grote Markt {}", "Rue Neuve {} bte 3"),
        ("1050 Ixelles", "2000 Antwerpen", "B-9000 Gent", "4000 Liège"),
        ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y"), "€", ("TOTAL", "Totaal te voldoen", "Total EUR TVAC", "Te ontvangen"),
        (("BTW/TVA 21%", 174),), added=False, comma=True,
    ),
    Country(
        ("Atahualpa", "Baños", "Chimborazo", "El Panecillo", "Guayacán", "Imbabura", "La Ronda", "Ñusta", "Otavalo",
         "Zambrano"),
        ("Panificadora {} Cía. Ltda.", "Farmacias {} S.A.", "Comercial {}", "Picantería {}", "Ferretería {} y Cía.",
         "Micromercado {}", "Asadero {}"),
        ("Av. Amazonas N{}-18", "Calle Sucre {} y Bolívar", "Av. 9 de Octubre {}, piso 2", "Juan Montalvo {} esq."),
        ("170150 Quito", "Guayaquil, Guayas", "Cuenca - Ecuador", "EC180101 Ambato"),
        ("%d/%m/%Y", "%Y-%m-%d", "%d-%m-%Y"), "$ ", ("TOTAL", "VALOR FINAL", "Total dolares", "A cancelar"),
        (("IVA 15%", 150),), added=True,
    ),
    Country(
        ("Banda", "Chanda", "Kalumba", "Luangwa", "Mulenga", "Mwila", "Nkandu", "Phiri", "Tembo", "Zimba"),
        ("{} Trading Zambia Ltd", "{} Milling Co.", "{} Pharmacy & Clinic", "{} Wholesale Shop", "{} Lodge & Grill",
         "{} Agro Dealers", "{} Cold Storage Limited"),
        ("Plot {} Cairo Road", "Stand No. {}, Great East Rd", "{} Buteko Avenue", "Shop {} Kamwala Market"),
        ("Lusaka", "P.O. Box 31240 Lusaka", "Ndola, Copperbelt", "Livingstone, Zambia"),
        ("%d/%m/%Y", "%d-%m-%Y", "%d-%b-%y"), "K ", ("TOTAL", "Total ZMW", "Total Kwacha", "Amount Now Payable"),
        (("VAT 16% A", 160),), added=True,
    ),
    Country(
        ("Annapurna Himal", "Bagmati", "Everest View", "Gurung", "Khumbu", "Maharjan", "Nagarkot", "Shrestha", "Tamang",
         "Yeti"),
        ("{} Kirana Pasal", "{} Momo Center", "{} Pharma Pvt. Ltd.", "{} Thakali Kitchen", "New {} Suppliers",
         "{} Dept. Store", "{} Trade Link P. Ltd."),
        ("{} Durbar Marg", "Ward No. {}, Lakeside", "{} New Baneshwor", "House No. {}, Jhamsikhel Road"),
        ("Kathmandu 44600", "Pokhara, Kaski", "Lalitpur, Nepal", "Biratnagar-7"),
        ("%Y-%m-%d", "%d/%m/%Y", "%Y/%m/%d"), "Rs ", ("TOTAL", "Total NPR", "Net Amt Payable", "Bill Worth Rs"),
        (("VAT 13%", 115),), added=False,
    ),
)  # fmt: skip

ABROAD = abroad.Words(
    countries=_COUNTRIES,
    things=(
        "Potica 400g", "Kohuke", "Stoofvlees friet", "Encebollado", "Nshima & beef", "Buff momo 10", "Vijaki 4x30",
        "Laško 0,5", "Kiluvõileib", "Speculoos 250g", "Bolón mixto", "Chikanda", "Kremšnita", "Must leib",
        "Gaufre sucre", "Llapingachos", "Mealie meal 10kg", "Wai Wai noodles", "Žarnica LED", "Sokid", "Sokken",
        "Sombrero paja", "Dhaka topi",
    ),
    greetings=("PRODAJNI LISTEK", "OSTUTŠEKK", "KASTICKET", "COMPROBANTE DE CAJA", "TAX INVOICE (ZRA)",
               "ABBREVIATED TAX INVOICE", ""),
    mottos=("Vsak dan sveže", "Hea maitse kodust", "Altijd dichtbij", "Lo nuestro primero", "Pamodzi in quality"),
    phones=("Mob.nr", "Telefon št.", "Convencional", "Cell no"),
    numbers=("ID za DDV", "Reg nr", "Ond.nr", "R.U.C.", "TPIN", "PAN No."),
    facts=(
        "Listek št. {}", "Kassa nr {}", "Ticket nr {}", "Caja No {}", "Ura: {}", "Kell: {}", "Uur: {}", "Mesa # {}",
        "Till No-{}", "Served by no {}",
    ),
    staff=("Mojca", "Liisa", "Lotte", "Mutale"),
    heads=("Izdelek", "Kaup", "Omschr."),
    net=("Subtotal sin impuesto", "Total excl of VAT", "Znesek brez DDV"),
    rounding=("Zaokrožitev", "Ümardus"),
    counts=("Št. artiklov", "Ridu kokku", "Aantal stuks"),
    cash=("V gotovini", "Sularahas", "Contant geld"),
    change=("Za vrnit", "Raha tagasi", "Teruggave"),
    cards=("Bančna kartica", "Pangakaart", "Kaartbetaling"),
    paid="Plačano {} ref. št. {}",
    means=("Payconiq", "Airtel Money", "eSewa"),
    warranty="Garancija velja do {}",
    thanks=("Nasvidenje", "Tulge jälle", "Bedankt en tot gauw", "Que le vaya bonito", "Natotela sana"),
)  # fmt: skip
