"""A third list of words for the drawings of ``unlike`` and ``abroad``; abroad's papers are of six other countries.

Drawn by ``python -m tests.generated.draw unheard FOLDER COUNT SEED``. Of what the
earlier draws print only the plain word TOTAL, legal forms, ways to write a day and, in unlike, kinds of postcode and
names of taxes are left. Whoever changes rules with a draw of these words in sight needs others.
"""

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

UNLIKE = unlike.Words(
    families=(
        "Adeyemi", "Baharuddin", "Corrigan", "Devereux", "Engelhardt", "Fairweather", "Guerrero", "Hashim", "Ibbotson",
        "Jeyaratnam", "Kaczmarek", "Lavender", "Mustapha", "Nwosu", "Ong", "Pilkington", "Qureshi", "Rasmussen",
        "Sivakumar", "Trevithick", "Underhill", "Vasquez", "Wetherell", "Yamamoto", "Zulkifli", "Applegarth",
        "Blackthorn", "Cloverfield", "Driftwood", "Elderflower", "Fenland", "Gatehouse", "Honeysuckle", "Juniper",
        "Lighthouse", "Marigold", "Osprey", "Peppercorn", "Red Lion", "Saffron", "Thimble & Thread", "Willowbank",
    ),
    trades=(
        "Bakery", "Brewhouse", "Teppanyaki", "Bodyworks", "Arboretum", "Delicatessen", "Joinery", "Launderette",
        "Saddlery", "Balloons", "Dispensary", "Nasi Kandar", "Gelato", "Fish Bar", "Flooring", "Mobiles",
        "Wholefoods", "Bak Kut Teh", "Knitwear", "Outboards", "Hearing Care", "Bookbinders", "Scaffolding", "Inn",
        "Framing", "Upholstery",
    ),
    roads=(
        ("Jalan Mawar {}", "Jln Tasik Utama {}", "Lorong Bukit Raja {}", "No {}, Jalan Kenari", "Lot {}, Lebuh Pantai"),
        ("{} Joo Chiat Place", "Blk {} Yishun Ring Road #03-45", "{} Bukit Timah Road", "{} Tanjong Pagar Road"),
        ("{} Sheep Street", "{} Market Place", "Unit {}, Valley Retail Park", "{}-{} Butter Cross",
         "{} Albert Embankment"),
        ("{} S Juniper Ave", "{} Walnut Street Unit 6", "{} State Road 64 E", "{} Pelican Way"),
        ("Shop {}, Civic Arcade", "{} Rundle Mall", "{} Old Coast Rd", "{} Hindmarsh Square"),
        ("Schillerstr. {}", "An der Mühle {}", "Birkenallee {}", "Rosengasse {}"),
    ),
    places=(
        ("43000 Kajang, Selangor", "08000 Sungai Petani, Kedah", "75450 Melaka", "88300 Kota Kinabalu, Sabah"),
        ("Singapore 427991", "Singapore 760155", "S(088442)"),
        ("Shrewsbury SY1 1DN", "Lincoln LN2 1LF", "Swansea SA1 3SN", "Hexham NE46 1XQ", "Oban PA34 4AX"),
        ("Bradenton, FL 34208", "Eugene, OR 97401", "Omaha, NE 68102", "Roanoke, VA 24011"),
        ("Bunbury WA 6230", "Ballarat VIC 3350", "Cairns QLD 4870", "Launceston TAS 7250"),
        ("90402 Nürnberg", "18055 Rostock", "34117 Kassel", "55116 Mainz"),
    ),
    sayings=(
        "Trading here for 60 years", "Good neighbours, good value", "Weekdays 07:00-19:30", "~ GOOD MORNING ~",
        "Caught today, cooked today", "hello.barleymow.example", "Complaints 0330 555 0166", "Shop no. 58",
        "Your host: L. Whitby", "",
    ),
    things=(
        "Sourdough 800g", "Chrysanthemum tea", "Americano sml", "Teh tarik", "Premium 97 22.6L", "Antacid tabs 24s",
        "Marmalade", "Nasi lemak ayam", "Gammon & egg", "Chain oil 100ml", "Masonry paint 5L", "Tulip bulbs x20",
        "USB cable 1m", "Shandy pint", "Bratwurst m. Senf", "Eistee 0,3", "Carvery child", "Gyoza 6pc",
        "Hamster bedding", "Biro blue x10", "Trouser hem", "Smoked haddock",
    ),
    payable=(
        ("TOTAL", "Total Settlement", "Total For Settlement", "Jumlah Bayaran", "Total This Bill (RM)"),
        ("TOTAL", "Total Settlement", "Total This Bill", "Nett To Pay"),
        ("TOTAL", "Total for today", "Total spend", "Total in GBP", "Please pay"),
        ("TOTAL", "Total This Check", "Total USD", "Amount Charged"),
        ("TOTAL", "Total This Sale", "Amount Charged", "Total with GST"),
        ("TOTAL", "Gesamt", "Summe brutto", "Rechnungssumme", "Gesamt EUR"),
    ),
    taxes=("SST at 6%", "GST @7%", "VAT at 20%", "Local Tax", "GST portion", "MwSt. 19,00%"),
    titles=("= = = = =", "<< PURCHASE SLIP >>", "We love to see you", "Bonkopie"),
    owners=("Owned by", "Member of", ""),
    numbers=("Co. No. {}", "/{}-W/"),
    contacts=("Bookings {}", "Hotline {}", "Tax id {}", "Registered for VAT/GST {}"),
    office="Accounts office: {} Larch Grove",
    customers=("Customer name: OVER THE COUNTER", "A/C: Till sales", "For: Pender Brothers", "Kunden-ID 33841"),
    dates=("Sale day", "Tag", "Date of sale"),
    facts=(
        "Sale ref", "Barista: {}", "Stool {}", "Covers: {}", "STN 0{} CSH {} BILL {}", "Docket: {}", "Helped by: {}",
        "Sold: {}", "Clock: {}",
    ),
    issues=("Shop Invoice", "Receipt for", "Kassenzettel Nr."),
    issued="Sold on {}",
    valid="Membership ends 28/02/2034",
    net=("Total excl. tax", "Value of goods", "Warenwert"),
    discounts=("Happy hour", "Multibuy", "Reward"),
    counts=("Number of goods", "Total pcs"),
    included=("thereof", "Inclusive", "inbegriffen"),
    payments=("Paid cash", "Change given", "DEBIT ************{}", "Code {}  Swipe", "Paid by phone"),
    refunds="Returns accepted to {}",
    thanks=("Call again", "Schönen Tag noch", "Selamat jalan", "This is your guarantee"),
    adverts=("Rate your meal", "Tillmate v7 by Northbeam", "Join our club at example.com"),
)  # fmt: skip

_COUNTRIES = (
    Country(
        ("Protea", "Karoo", "Umhlanga", "Drakensberg", "Van Wyk", "Nkosi", "Jacaranda", "Botha", "Springbok", "Fynbos"),
        ("{} Butchery (Pty) Ltd", "{} Tearoom", "{} Spares CC", "{} Farm Stall", "The {} Grill",
         "{} Hardware (Pty) Ltd", "{} Liquors"),
        ("{} Voortrekker Road", "{} Long Street", "Shop {}, Sandown Centre", "{} Kerk Street"),
        ("Stellenbosch 7600", "Durban, 4001", "Polokwane 0699", "Gqeberha 6001"),
        ("%Y/%m/%d", "%d/%m/%Y", "%d %b %Y", "%Y-%m-%d"), "R", ("TOTAL", "Total ZAR", "Total Rand", "Total incl. VAT"),
        (("VAT 15%", 130),), added=False,
    ),
    Country(
        ("Simba", "Wanjiku", "Baraka", "Kilimani", "Otieno", "Uhuru", "Savannah", "Mwangi", "Jambo", "Acacia"),
        ("{} Supermarket Ltd", "{} Chemist", "{} Butchery", "{} Agrovet", "{} Hotel", "{} Wholesalers Limited",
         "{} Cyber & Stationery"),
        ("{} Moi Avenue", "Shop {}, Kenyatta Market", "{} Ngong Road", "Stall {}, Biashara Street"),
        ("Nairobi 00100", "Mombasa 80100", "Kisumu 40100", "Nakuru"),
        ("%d/%m/%Y", "%d-%m-%Y", "%d-%b-%y"), "KSh ", ("TOTAL", "Total KES", "Total Kshs", "Total Amt Payable"),
        (("VAT 16%", 160),), added=True,
    ),
    Country(
        ("Mabuhay", "Bayanihan", "Santos", "Dela Cruz", "Sampaguita", "Mayon", "Reyes", "Pandan", "Visayas"),
        ("{} Lugawan", "{} Trading Corp.", "{} Bakeshop", "{} Drugstore Inc.", "{} Carinderia", "{} Auto Supply",
         "{} Merchandising"),
        ("{} Rizal Avenue", "{} Mabini St., Brgy. San Roque", "Unit {}, Ayala Arcade", "{} Quezon Blvd"),
        ("Quezon City 1100", "Cebu City, 6000", "Davao City", "Makati, Metro Manila"),
        ("%m/%d/%Y", "%b %d, %Y", "%m-%d-%Y", "%Y-%m-%d"), "PHP ", ("TOTAL", "Total PHP", "Total Sales",
         "Total Amount Payable"),
        (("VAT 12%", 107),), added=False,
    ),
    Country(
        ("Blue Mountain", "Ackee", "Mandeville", "Bogle", "Hummingbird", "Campbell", "Ocho Rios", "Lignum"),
        ("{} Patties Ltd.", "{} Jerk Centre", "{} Home Centre", "{} Variety Store", "{} Wholesale Limited",
         "{} Cook Shop"),
        ("{} Hope Road", "{} Half Way Tree Road", "Shop {}, Manor Park Plaza", "{} Barnett Street"),
        ("Kingston 10", "Montego Bay, St. James", "Portmore, St. Catherine", "Kingston 8, Jamaica"),
        ("%d/%m/%Y", "%d-%b-%Y", "%b %d, %Y"), "J$", ("TOTAL", "Total JMD", "Total J$", "Amount To Settle"),
        (("GCT 15%", 150),), added=True,
    ),
    Country(
        ("Aguilar", "Benítez", "Cárdenas", "Domínguez", "Echevarría", "Gallego", "Ibáñez", "Molina", "Ortuño", "Peña"),
        ("Panadería {}", "Farmacia {}", "Bar {} S.L.", "Ferretería {}", "Talleres {} S.A.", "Frutas {} SL"),
        ("Calle Mayor {}", "Avda. de la Constitución, {}", "Plaza España {}", "C/ San Antón, {}"),
        ("28013 Madrid", "46002 Valencia", "41001 Sevilla", "50003 Zaragoza"),
        ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y"), "€", ("TOTAL", "Total a pagar", "Importe total", "Total con IVA"),
        (("IVA 10% incl.", 90),), added=False, comma=True,
    ),
    Country(
        ("De Vries", "Hendriks", "Kuipers", "Mulder", "Postma", "Schouten", "Terpstra", "Verhoeven", "Wagenaar",
         "Zijlstra"),
        ("Bakkerij {}", "Slagerij {} B.V.", "Drogisterij {}", "Eetcafé {}", "{} Fietsen BV", "Kwekerij {} VOF"),
        ("Dorpsstraat {}", "Stationsweg {}", "Oude Gracht {}", "Prins Hendrikkade {}"),
        ("3511 AB Utrecht", "9712 CP Groningen", "5611 EM Eindhoven", "2312 KB Leiden"),
        ("%d-%m-%Y", "%d-%m-%y", "%d/%m/%Y"), "€", ("TOTAL", "Totaal", "Te betalen", "Totaal EUR"),
        (("waarvan BTW 9%", 83),), added=False, comma=True,
    ),
)  # fmt: skip

ABROAD = abroad.Words(
    countries=_COUNTRIES,
    things=(
        "Biltong 200g", "Tortilla francesa", "Oil filter", "Stroopwafels", "Pancit canton", "Loperamide 12s",
        "Barra rústica", "Mop head", "Calamansi juice", "Wood filler", "Cortado", "Oxtail & beans", "Exercise book A4",
        "Nails 50mm", "Plantain 1.1kg", "Menú del día", "Bunny chow", "Petrol 33.8L", "Filling, one tooth",
        "Padlock 40mm", "Mandazi", "Soap bar", "School shoes",
    ),
    greetings=("CASH SALE", "SALES DOCKET", "Ticket de compra", "Kassabon", "House Tab", "ACCOUNT COPY", ""),
    mottos=("Cooked with love", "Serving you since 1956", "Locally owned", "Sundays till 2 pm"),
    phones=("Whatsapp", "Teléfono", "Landline", "Bel"),
    numbers=("VAT Reg. Number", "PIN No", "TIN", "TRN", "NIF", "KvK"),
    facts=(
        "Slip No: {}", "Sale date: {}", "Lane {}", "Ref. no.", "Sold on", "Attendant", "Stand {}", "Guests {}",
        "Tab {}", "Registered on {} at {}",
    ),
    staff=("Thandi", "Wambui", "Joselito", "Marieke"),
    heads=("Product", "Artículo", "Omschrijving"),
    net=("Excluding VAT", "NET AMOUNT", "Base imponible"),
    rounding=("Rounding adj.", "Afronding"),
    counts=("Item count", "Pcs sold", "Aantal"),
    cash=("Cash given", "Paid cash", "Efectivo"),
    change=("Change due to you", "Cambio", "Wisselgeld"),
    cards=("MAESTRO", "Bank card", "Tarjeta"),
    paid="Payment {} code {}",
    means=("by M-Pesa", "by voucher", "by PIN"),
    warranty="Warranty ends {}",
    thanks=("Asante, karibu tena", "Gracias por su compra", "Tot ziens", "No cash refunds"),
)  # fmt: skip
