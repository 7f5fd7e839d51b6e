"""Words of their own for the drawings of ``unlike`` and ``abroad``: a draw of which rules know nothing by name.

``python -m tests.generated.fresh FOLDER COUNT SEED`` fills ``FOLDER/unlike`` and ``FOLDER/abroad``. Of what the earlier
draws print only the plain word TOTAL, legal forms, kinds of postcode and ways to write a day are left. Whoever changes
rules with a draw of these words in sight needs others.
"""

import sys
from pathlib import Path

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

UNLIKE = unlike.Words(
    families=(
        "Abernathy", "Azlan", "Birkbeck", "Cheong", "Dunmore", "Ellerby", "Faulkner", "Gopalan", "Hazlewood",
        "Imrie", "Jankowski", "Kirkbride", "Loh", "Mortimer", "Norazman", "Oyelaran", "Petrakis", "Quigley", "Rathbone",
        "Sandhu", "Tregarthen", "Umberto", "Varghese", "Weatherby", "Yusof", "Zieliński", "Ashdown", "Bramblewood",
        "Crosswell", "Dovecote", "Elmsett", "Firethorn", "Goldcrest", "Heron Bay", "Kingfisher", "Millbrook",
        "Nightingale", "Oldenburg", "Quarrymen", "Rosewater", "Sparrowhawk", "Teak & Vine",
    ),
    trades=(
        "Greengrocer", "Tapas", "Ramen", "Exhausts & Brakes", "Nurseries", "Butchers", "Timber Yard", "Laundry",
        "Aquatics", "Bouquets", "Apothecary", "Hawker Stall", "Pizzeria", "Crab Shack", "Decorators", "Electronics",
        "Provisions", "Dim Sum", "Menswear", "Motorbikes", "Opticians", "Records", "Roofing", "Hostel", "Stationers",
        "Tailoring",
    ),
    roads=(
        ("Jalan Rajawali {}", "Jln Setia Impian {}", "Lorong Perak {}", "No {}, Jalan Angsana",
         "Lot {}, Persiaran Surian"),
        ("{} Telok Kurau Road", "Blk {} Bedok North St 3 #02-188", "{} Upper Thomson Road", "{} Keong Saik Street"),
        ("{} Chapel Row", "{} Fore Street", "Unit {}, Anchor Business Park", "{}-{} Saddler Lane",
         "{} Wellington Parade"),
        ("{} W Magnolia Blvd", "{} Elm Street Suite 210", "{} Highway 41 N", "{} Cedar Ct"),
        ("Shop {}, Lakeside Plaza", "{} Flinders Lane", "{} Great Western Hwy", "{} Beaufort Street"),
        ("Goethestr. {}", "Am Kirchplatz {}", "Ulmenweg {}", "Kaiserallee {}"),
    ),
    places=(
        ("68000 Ampang, Selangor", "34000 Taiping, Perak", "70200 Seremban", "93350 Kuching, Sarawak"),
        ("Singapore 423844", "Singapore 579795", "S(089142)"),
        ("Exeter EX4 3SB", "Norwich NR2 1NH", "Cardiff CF10 1EP", "Durham DH1 3NJ", "Perth PH1 5UF"),
        ("Savannah, GA 31401", "Boise, ID 83702", "Tucson, AZ 85719", "Duluth, MN 55802"),
        ("Fremantle WA 6160", "Geelong VIC 3220", "Toowoomba QLD 4350", "Adelaide SA 5000"),
        ("76133 Karlsruhe", "28195 Bremen", "04109 Leipzig", "99084 Erfurt"),
    ),
    sayings=(
        "Established 1954", "Proudly serving the neighbourhood", "Mon to Fri 8am - 6pm", "== GOOD DAY ==",
        "Baked every morning", "shop.greenways.example", "Helpline 0800 555 0134", "Outlet 27",
        "Duty manager: K. Amos", "",
    ),
    things=(
        "Wholemeal loaf", "Jasmine tea 100g", "Cappuccino lge", "Teh C peng", "Super 95 28.4L", "Cetirizine 10mg",
        "Peanut butter", "Mee goreng", "Pie & mash", "Brake cable", "Wood stain 1L", "Bark chips 60L",
        "Torch battery D",
        "Pint of bitter", "Currywurst m. Brot", "Spezi 0,5", "Sunday roast", "Bento box C", "Dog chews 500g",
        "Envelopes C5",
        "Cotton socks 3pk", "Sea bass fillet",
    ),
    payable=(
        ("TOTAL", "Total To Pay", "Final Total", "Jumlah Perlu Dibayar", "Total Bill (RM)"),
        ("TOTAL", "Total Bill", "Final Amount", "Bill Total S$"),
        ("TOTAL", "Total to pay", "Sale total", "Total GBP", "Amount owing"),
        ("TOTAL", "Total Charge", "Order Total", "Purchase Total"),
        ("TOTAL", "Total AUD", "Total Price", "You Pay"),
        ("TOTAL", "Endsumme", "Gesamtsumme", "Endbetrag EUR", "Bruttobetrag"),
    ),
    taxes=("SST @6%", "7% GST", "VAT @ 20%", "State Tax", "GST component", "19% MwSt."),
    titles=("+ + + + +", "[ SALES SLIP ]", "We appreciate your business", "Quittung"),
    owners=("Managed by", "Part of", ""),
    numbers=("Company No {}", "[{}-T]"),
    contacts=("Call {}", "Telephone {}", "Fiscal no {}", "GST/VAT reg {}"),
    office="Registered office: {} Harrow Crescent",
    customers=("Client: COUNTER SALE", "Acct: Passing trade", "Sold to: Marlow Partners", "Kd.-Nr. 20815"),
    dates=("Day", "Belegdatum", "DATE & TIME"),
    facts=("Txn", "Waiter: {}", "Seat {}", "Pax: {}", "POS 0{} Clerk {} No {}", "Chit: {}", "Sold by: {}", "On: {}",
           "At: {}"),
    issues=("Sales Invoice", "VAT Invoice", "Beleg"),
    issued="Issued on {}",
    valid="Card expires 30/09/2033",
    net=("Goods total", "Before tax", "Netto"),
    discounts=("Staff discount", "Coupon", "Bonus card"),
    counts=("Pieces", "Lines sold"),
    included=("of which", "Containing", "enthält"),
    payments=("Cash received", "Your change", "MC ************{}", "Approval {}  Chip", "Paid with gift card"),
    refunds="Exchange before {}",
    thanks=("See you again soon", "Auf Wiedersehen", "Jumpa lagi", "Keep this slip as proof of purchase"),
    adverts=("Tell us how we did", "tills by Ledgerline", "Follow our kitchen on example.net"),
)  # fmt: skip

_COUNTRIES = (
    Country(
        ("Balaji", "Deccan", "Kaveri", "Nandini", "Padmavathi", "Raghavendra", "Saraswati", "Tirupati", "Vaibhav",
         "Annapurna"),
        ("{} Textiles", "{} Tiffin Room", "New {} Provision Stores", "{} Opticals Pvt. Ltd.", "M/s {} Hardware",
         "{} Jewellers Private Limited", "{} Book Depot", "{} Auto Spares"),
        ("{} Brigade Road", "No. {}, 8th Main", "Door No. {}, Mount Road", "Plot {}, Phase II"),
        ("Hyderabad 500003", "Coimbatore - 641 012", "Jaipur 302001", "Kochi - 682 016"),
        ("%d-%m-%Y", "%d/%m/%Y", "%d-%b-%y"), "Rs.", ("TOTAL", "Total Bill", "Amount To Be Paid", "Final Amount"),
        (("CGST", 25), ("SGST", 25)), added=True,
    ),
    Country(
        ("Aubert", "Besançon", "Chevalier", "Delmas", "Étienne", "Girard", "Lacroix", "Pelletier", "Renaud",
         "Thévenet"),
        ("Pâtisserie {}", "Boucherie {}", "Restaurant {} SARL", "Papeterie {}", "{} Optique SAS",
         "Quincaillerie {} SARL"),
        ("{}, rue Victor Hugo", "{} avenue de la Gare", "{} place Saint-Michel", "{} boulevard Gambetta"),
        ("33000 Bordeaux", "59800 Lille", "35000 Rennes", "21000 Dijon"),
        ("%d/%m/%Y", "%d.%m.%Y", "%d/%m/%y"), "€", ("TOTAL", "Total à payer", "A payer", "Total EUR"),
        (("TVA 10% incluse", 90),), added=False, comma=True,
    ),
    Country(
        ("Bouchard", "Queen City", "Great Lakes", "Fraser", "Moose Jaw", "Cabot", "Red River", "Lavoie"),
        ("{} Building Supply Inc.", "{} Diner", "{} Pharmacy", "{} Tire Ltd.", "{} Garden Supply", "{} Outdoor Co."),
        ("{} Granville St", "{} Barrington Avenue", "Unit {}, 480 Albert St", "{}-55 Jasper Road SW"),
        ("Ottawa, ON K1P 5Z9", "Regina SK S4P 3Y2", "Victoria, BC V8W 1P6", "Moncton NB E1C 1H1"),
        ("%Y-%m-%d", "%b %d, %Y", "%Y/%m/%d", "%d-%b-%Y"), "$", ("TOTAL", "Total Charge", "Order Total", "Total (CAD)"),
        (("GST/HST 13%", 130),), added=True,
    ),
    Country(
        ("Costello", "Dunleavy", "Slieve Bloom", "Fitzmaurice", "Shannon", "Corrib", "Nolan", "Ardmore", "Kinsella"),
        ("{} Bros", "{}'s Tavern", "{} Chemists Ltd.", "{} Motor Factors", "The {} Tea Rooms", "{} Builders Providers",
         "{} Fuels Limited"),
        ("{} O'Connell Street", "{} Grafton Street", "Unit {} Riverside Retail Park", "Bridge Street"),
        ("Sligo", "Waterford X91 PK15", "Athlone N37 W4F8", "Dublin 8"),
        ("%d/%m/%Y", "%d/%m/%y", "%d %b %Y", "%A %d %B %Y"), "€", ("TOTAL", "Total to Pay", "Sale Total", "TOTAL EUR"),
        (("incl VAT 13.5%", 119),), added=False,
    ),
    Country(
        ("Matai", "Totara", "Manawa", "Long White Cloud", "Tui", "Kahurangi", "Piha", "Ruapehu", "Cook Strait"),
        ("{} Eatery", "{} Timber & Tools", "{} Dairy", "{} Butchery Ltd", "{} Dental Limited", "{} Lodge"),
        ("{} Victoria Street", "{} Cuba Street", "{} Papanui Rd", "Shop {}, Riverside Mall"),
        ("Dunedin 9016", "Napier 4110", "Tauranga 3110", "Nelson"),
        ("%d/%m/%Y", "%d %b %y", "%d-%m-%y", "%d.%m.%y"), "$", ("TOTAL", "Total To Pay", "Total Price", "Sum Total"),
        (("GST content", 130),), added=False,
    ),
    Country(
        ("Chung Wah", "Fook Lam", "Yau Kee", "Pearl River", "Shing Cheong", "Ho Ming", "Silver Phoenix", "Tai Ping"),
        ("{} Noodle Shop", "{} Trading Company Limited", "{} Medicine", "{} Optical Co. Ltd.", "{} Stationery",
         "{} Tea House"),
        ("Shop {}, 1/F, Tung Ying Building", "{} Des Voeux Road West", "{}/F, Cheung Wah House", "{} Shanghai Street"),
        ("Tsuen Wan", "Sai Ying Pun, Hong Kong", "North Point, Hong Kong", "Sham Shui Po, Kowloon"),
        ("%d/%m/%Y", "%Y-%m-%d", "%d-%b-%Y"), "HK$", ("TOTAL", "Total HKD", "Final Amount", "Total Bill"),
        (("10% Service", 100),), added=True,
    ),
)  # fmt: skip

ABROAD = abroad.Words(
    countries=_COUNTRIES,
    things=(
        "Idli vada", "Pain au chocolat", "Spark plug", "Soda bread", "Congee", "Aspirin 75mg", "Baguette", "Door mat",
        "Iced lemon tea", "Masking tape", "Espresso", "Lamb shank", "Diary 2024", "Hinges 75mm", "Tomatoes 0.8kg",
        "Formule midi", "Mince pie", "Super 95 19.7L", "Eye test", "Extension lead", "Paneer roll", "Shampoo",
        "Cotton shirt",
    ),
    greetings=("BILL OF SUPPLY", "SALES MEMO", "Reçu client", "PROOF OF PURCHASE", "Dining Bill", "MERCHANT COPY", ""),
    mottos=("Taste of home", "Trading since 1948", "Family run", "Closed on Mondays"),
    phones=("Mob", "Telephone", "Téléphone :", "Call us"),
    numbers=("GST Reg", "RCS", "BN", "Tax Reg No", "IRD No.", "Co. Reg"),
    facts=("Memo No: {}", "Dated: {}", "Desk {}", "Document no.", "Billed on", "Served by", "Seat {}", "Persons {}",
           "Job {}", "Made out on {} at {}"),
    staff=("Anjali", "Thierry", "Niamh", "Wai Lam"),
    heads=("Goods", "Particulars", "Libellé"),
    net=("Goods total", "NET OF TAX", "Before tax"),
    rounding=("Rounded by", "Adjustment"),
    counts=("Pieces", "No. of lines", "Quantité totale"),
    cash=("Cash received", "Notes and coins", "Reçu en espèces"),
    change=("Returned", "Your change", "Monnaie"),
    cards=("VISA DEBIT", "Credit card", "CB sans contact"),
    paid="Settled {} no {}",
    means=("via wallet", "on account", "by phone"),
    warranty="Guaranteed until {}",
    thanks=("Come back soon", "Au revoir et à bientôt", "Mind yourself", "Goods once sold stay sold"),
)  # fmt: skip


def fill(folder: Path, count: int, seed: int) -> None:
    unlike.fill(folder / "unlike", count, seed, words=UNLIKE)
    abroad.fill(folder / "abroad", count, seed, words=ABROAD)


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
