"""An eighth list of words for the drawings of ``unlike`` and ``abroad``; abroad's papers are of six more countries.

Drawn by ``python -m tests.generated.draw untold FOLDER COUNT SEED``, first with seed 281127. Of what the earlier draws
print only the plain word TOTAL, legal forms, ways to write a day and, in unlike, kinds of postcode and names of taxes
are left. Whoever changes rules with a draw of these words in sight needs others.
"""

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

UNLIKE = unlike.Words(
    families=(
        "Aldersley", "Bukhari", "Cheong Wai Lam", "Davenport", "Etchells", "Featherstone", "Govindan Pillai",
        "Holdsworth", "Ibrahim Shah", "Jayaraman", "Kershaw", "Leong Sook Yee", "Mossop", "Norazlan", "Oakeshott",
        "Postlethwaite", "Rosli Daud", "Schönfelder", "Tan Boon Huat", "Ulverston", "Vellaisamy", "Wetherby", "Yusri",
        "Anchor & Oar", "Blue Gate", "Cobbler's Last", "Daisy Chain", "Elm Tree", "Firefly", "Grey Heron",
        "Hay Loft", "Jasmine Cottage", "Lantern Yard", "Moorhen", "North Pier", "Orchard End", "Piper's Hill",
        "Rushlight",
        "Silver Birch", "Wishing Well",
    ),
    trades=(
        "Angling", "Biscuits", "Clocks", "Dosa Kitchen", "Easels", "Frames", "Glassware", "Hatters", "Ices",
        "Juice Bar", "Kites", "Luggage", "Maps", "Nails & Brow Bar", "Organics", "Pianos", "Rugs", "Sailcloth",
        "Teahouse", "Uniforms", "Veg Box", "Waffles", "Zips", "Mamak Corner", "Popiah Stall", "Sewing Box",
    ),
    roads=(
        ("Jalan Tun Perak {}", "Jln Cempaka {}/2", "Lorong Haji Talib {}", "Lot {}, Jalan Pelabuhan",
         "{} Persiaran Gurney"),
        ("{} Bukit Batok West Ave 6", "Blk {} Toa Payoh Central #01-38", "{} Joo Chiat Terrace", "{} Cuff Road"),
        ("{} Weavers Row", "{} Abbey Gate", "Unit {} Riverside Trade Park", "{}-{} Chandlers Lane", "{} Finkle Street"),
        ("{} S Willow Ave", "{} Depot St Unit 9", "{} County Road 8", "{} Bluebird Court"),
        ("Shop {}, Wharf Plaza", "{} Gouger St", "{} Barkly Highway", "{} Banksia Place"),
        ("Lessingstr. {}", "Am Stadtgraben {}", "Erlenweg {}", "Holzmarkt {}"),
    ),
    places=(
        ("70200 Seremban, Negeri Sembilan", "15000 Kota Bharu, Kelantan", "86000 Kluang, Johor", "96000 Sibu, Sarawak"),
        ("Singapore 650106", "Singapore 310177", "S(209723)"),
        ("Skipton BD23 1JE", "Bude EX23 8LE", "Nairn IV12 4DT", "Louth LN11 9NA", "Ripon HG4 1BP"),
        ("Belfast, ME 04915", "Winona, MN 55987", "Helena, MT 59601", "Albany, GA 31701"),
        ("Emerald QLD 4720", "Horsham VIC 3400", "Burnie TAS 7320", "Whyalla SA 5600"),
        ("17033 Neubrandenburg", "02625 Bautzen", "87629 Füssen", "26721 Emden"),
    ),
    sayings=(
        "Warm bread at seven", "Half price after five", "Mind the step", "Nothing too small to mend",
        "Stone-ground since dawn", "shop.rushlight.example", "Takeaway 01756 555 0133", "Next door to the library",
        "Looking after you: P. Marsh", "",
    ),
    things=(
        "Oatmeal bloomer", "Darjeeling 125g", "Long black", "Teh halia", "Petrol 27.8L", "Gauze 10s", "Demerara 1kg",
        "Hokkien mee", "Pork rillettes", "Pipe wrench", "Grout 3kg", "Tulip bulbs", "Watch strap", "Stout pint",
        "Leberkässemmel", "Apfelschorle 0,3", "Early bird menu", "Soba salad", "Hamster wheel", "Ring binder A4",
        "Zipper 20cm", "Fish balls",
    ),
    payable=(
        ("TOTAL", "Total SST Inside", "Owed by you", "Jumlah Bersih Bayaran", "Total Rounded Off"),
        ("TOTAL", "Owed by you", "Bill in full", "Total S$ now"),
        ("TOTAL", "Total all in", "Sterling to hand over", "Your spend", "Kindly settle"),
        ("TOTAL", "Check comes to", "Sale in full", "Total in dollars"),
        ("TOTAL", "Check comes to", "Sale in full", "Total A$ incl"),
        ("TOTAL", "Zahlsumme EUR", "Summe des Kaufs", "Zu entrichten", "Summe inkl. MwSt"),
    ),
    taxes=("SST at 8%", "GST at 9%", "VAT 20.0% S", "Levy of state", "GST of this", "MwSt. A 19%"),
    titles=(": : : : :", "( TILL COPY )", "Lovely to see you", "Verkaufsbon"),
    owners=("A shop run for", "Minded by", ""),
    numbers=("Regd No {}", "({}-V)"),
    contacts=("Speak to us {}", "Bell {}", "Tax file no {}", "VAT no. of firm {}"),
    office="Regd office: {} Cromer Crescent",
    customers=("Customer: NOT NAMED", "Sold to: one at the till", "Client: Dabney Ltd Guest", "Kunde Nr. 40933"),
    dates=("Bought this day", "Verkauft am", "Done on"),
    facts=(
        "Purchases", "Poured at {}", "Snug no {}", "Party: {}", "Terminal 0{} Usr {} Num {}", "Sheet: {}",
        "At till: {}", "Dte/{}", "Clk/{}",
    ),
    issues=("Till Note", "Proof of sale", "Bon-Nummer"),
    issued="Closed on {}",
    valid="Stamps lapse 30/11/2036",
    net=("Total before levy", "Sum of wares", "Summe ohne MwSt"),
    discounts=("Member price", "Three for two", "Coupon 27"),
    counts=("Total pieces", "Wares bought"),
    included=("of that sum", "Tax held in it", "enthalten"),
    payments=("Cash given over", "Coins back", "JCB ************{}", "Trace {}  Chip", "Paid by watch"),
    refunds="Swap until {}",
    thanks=("Travel well", "Schönen Feierabend", "Selamat datang lagi", "Please keep me"),
    adverts=("Tell us how it was", "Register by Tallyho", "Stamps at example.net"),
)  # fmt: skip

_COUNTRIES = (
    Country(
        ("Ąžuolas", "Balčiūnas", "Gintaras", "Jonaitis", "Kazlauskas", "Mickus", "Petrauskienė", "Rūta", "Šimkus",
         "Žilinskas"),
        ("UAB {}", "{} kepykla", "Vaistinė {}", "Kavinė {}", "{} ir ko UAB", "MB {}", "Gėlės {}"),
        ("Gedimino pr. {}", "Vilniaus g. {}", "Laisvės al. {}-2", "Tiltų g. {}"),
        ("LT-01103 Vilnius", "44240 Kaunas", "Klaipėda", "LT-76299 Šiauliai"),
        ("%Y-%m-%d", "%Y.%m.%d", "%d.%m.%Y"), "", ("TOTAL", "Mokėtina suma", "Iš viso EUR", "Bendra suma"),
        (("PVM A 21%", 174),), added=False, comma=True,
    ),
    Country(
        ("Baláž", "Čierny", "Ďurica", "Gašpar", "Hudák", "Kováčová", "Ľubomír", "Moravčík", "Slovák", "Žitný"),
        ("{} spol. s r.o.", "Pekáreň {}", "Lekáreň {}", "Reštaurácia {} s.r.o.", "Cukráreň {}", "{} a syn",
         "Kvety {}"),
        ("Štúrova {}", "Hlavná {}", "Námestie SNP {}", "Obchodná ul. {}"),
        ("811 06 Bratislava", "040 01 Košice", "Nitra", "974 01 Banská Bystrica"),
        ("%d.%m.%Y", "%d. %m. %Y", "%d.%m.%y"), "", ("TOTAL", "Spolu EUR", "Na úhradu", "Suma k platbe"),
        (("DPH 20% zákl.", 167),), added=False, comma=True,
    ),
    Country(
        ("Arnarson", "Birkir", "Eyjafjörður", "Guðmundur", "Hekla", "Jökull", "Ólafsdóttir", "Sigurðsson", "Þórsmörk",
         "Vík"),
        ("{} ehf.", "Bakarí {}", "Apótek {}", "Kaffihús {}", "{} hf.", "Fiskbúð {}", "Verslunin {}"),
        ("Laugavegur {}", "Hafnarstræti {}", "Skólavörðustígur {}", "Strandgata {}b"),
        ("101 Reykjavík", "600 Akureyri", "220 Hafnarfjörður", "Ísafjörður"),
        ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%y"), "kr ", ("TOTAL", "Samtals ISK", "Alls greitt", "Upphæð samtals"),
        (("Þ.a. VSK 24%", 194),), added=False, comma=True,
    ),
    Country(
        ("Aconcagua", "Belgrano", "Caminito", "Del Sur", "Echeverría", "Ñandú", "Pampa", "Quilmes", "San Telmo",
         "Yrigoyen"),
        ("Almacén {} S.R.L.", "Heladería {}", "Ferretería {} S.A.", "Kiosco {}", "Parrilla {} S.H.", "{} Hnos.",
         "Verdulería {}"),
        ("Bv. Oroño {}", "Hipólito Vieytes {} PB", "Suipacha {} 1° B", "Ruta 9 Km {}"),
        ("C1008AAB CABA", "(5000) Córdoba", "S2000 Rosario", "Mendoza, Godoy Cruz"),
        ("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y"), "$ ", ("TOTAL", "Total $ ARS", "Saldo", "Son pesos"),
        (("IVA 21% cont.", 174),), added=False, comma=True,
    ),
    Country(
        ("An Khánh", "Bình Minh", "Cửu Long", "Đại Phát", "Hồng Hà", "Kim Liên", "Lê Văn", "Ngọc Mai", "Phú Quý",
         "Thanh Xuân"),
        ("Công ty TNHH {}", "Nhà thuốc {}", "Quán {}", "Siêu thị {}", "{} Bakery Café", "Cửa hàng {}", "Phở {}"),
        ("{} Nguyễn Huệ", "Số {} Trần Phú", "{}/5 Lê Lợi", "{} đường Hai Bà Trưng"),
        ("Quận 1, TP. Hồ Chí Minh", "Hoàn Kiếm, Hà Nội", "Hải Châu, Đà Nẵng", "Ninh Kiều, Cần Thơ"),
        ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y"), "", ("TOTAL", "Tổng thanh toán", "Thành tiền VND", "Khách phải trả"),
        (("Thuế GTGT 8%", 80),), added=True,
    ),
    Country(
        ("Bahati", "Chacha", "Juma", "Kilimanjaro", "Lyimo", "Massawe", "Mwananchi", "Neema", "Shirima", "Upendo"),
        ("{} Duka la Dawa", "{} Mini Super", "{} Investments Co. Ltd", "{} Vipuri", "Mgahawa wa {}",
         "{} Traders (T) Limited", "{} Vifaa vya Shule"),
        ("Plot No. {}, Samora Ave", "{} Sokoine Drive", "Mtaa wa Uhuru {}", "Block C House {} Mbezi"),
        ("Dar es Salaam", "S.L.P. 2310 Arusha", "Mwanza, Tanzania", "P.O.Box 871 Dodoma"),
        ("%d/%m/%Y", "%Y-%m-%d", "%d-%b-%Y"), "TZS ", ("TOTAL", "Jumla ya malipo", "Total inc of tax", "Kulipa"),
        (("VAT 18% A", 180),), added=True,
    ),
)  # fmt: skip

ABROAD = abroad.Words(
    countries=_COUNTRIES,
    things=(
        "Cepelinai", "Bryndzové halušky", "Skyr 500g", "Empanada x3", "Bún chả", "Pilau nyama", "Varžtai 5x60",
        "Kofola 0,5", "Harðfiskur", "Alfajor triple", "Cà phê sữa đá", "Mandazi 4", "Kibinas", "Lokše", "Pylsa",
        "Choripán", "Gạo 5kg", "Unga 2kg", "Lemputė LED", "Ponožky", "Lopapeysa", "Yerba mate 1kg", "Khanga doti",
    ),
    greetings=("PREKYBOS KVITAS", "POKLADNIČNÝ DOKLAD", "SÖLUNÓTA", "TIQUE FACTURA B", "PHIẾU TÍNH TIỀN",
               "STAKABADHI", ""),
    mottos=("Visada švieža", "Chutí ako doma", "Ferskt alla daga", "Lo rico de acá", "Karibu tena na tena"),
    phones=("Mob. tel.", "Sími", "Đường dây", "Simu ya mkononi"),
    numbers=("Įm. kodas", "IČO", "Kennitala", "C.U.I.T.", "MST", "TIN No"),
    facts=(
        "Kvito Nr. {}", "Pokladňa {}", "Nóta {}", "Caja Nro {}", "Giờ: {}", "Čas: {}", "Laikas: {}", "Bàn số {}",
        "Kaunta-{}", "Mhudumu {}",
    ),
    staff=("Austėja", "Zuzana", "Einar", "Linh"),
    heads=("Prekė", "Tovar", "Món"),
    net=("Gravado neto 21", "Kabla ya VAT", "Chưa thuế"),
    rounding=("Apvalinimas", "Zaokrúhlenie"),
    counts=("Prekių sk.", "Počet ks", "Số món"),
    cash=("Grynieji pinigai", "V hotovosti", "Reiðufé"),
    change=("Grąža klientui", "Výdavok", "Til baka"),
    cards=("Mokėjimo kortelė", "Platobná karta", "Greiðslukort"),
    paid="Greitt {} nr. {}",
    means=("Mercado Pago", "ZaloPay", "Tigo Pesa"),
    warranty="Garantija iki {}",
    thanks=("Lauksime sugrįžtant", "Ďakujeme za návštevu", "Sjáumst aftur", "Gracias, hasta pronto", "Asante sana"),
)  # fmt: skip
