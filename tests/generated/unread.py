"""A fifth list of words for the drawings of ``unlike`` and ``abroad``; abroad's papers are of six more countries.

Drawn by ``python -m tests.generated.draw unread FOLDER COUNT SEED``. Of what the earlier draws print only the plain
word TOTAL, legal forms, ways to write a day and, in unlike, kinds of postcode and names of taxes are left. Whoever
changes rules with a draw of these words in sight needs others.
"""

from tests.generated import abroad, unlike
from tests.generated.abroad import Country

UNLIKE = unlike.Words(
    families=(
        "Ainsworth", "Boonchai", "Cartwright", "Dhillon", "Entwistle", "Figgis", "Ganesan", "Hollingsworth", "Ismail",
        "Jessop", "Kessler", "Lim Boon Teck", "Mackintosh", "Nadarajah", "Ollerenshaw", "Purvis", "Raghavan",
        "Sedgwick", "Tindall", "Ungku", "Vollmer", "Winterbourne", "Yap", "Zubir", "Amberley", "Barley Sheaf",
        "Chanticleer", "Dandelion", "Elk & Otter", "Fireside", "Green Dragon", "Harlequin", "Ivory Gate", "Kestrel",
        "Limestone", "Magpie", "Northgate", "Orchard House", "Puffin", "Rowan Tree", "Seven Stars", "Windmill",
    ),
    trades=(
        "Boulangery", "Cider House", "Satay Corner", "Panel Beaters", "Landscapes", "Charcuterie", "Carpentry",
        "Linen Care", "Cordwainers", "Fancy Dress", "Lens Makers", "Tiffin", "Ice Cream", "Carvery", "Kitchens",
        "Repairs", "Tinctures", "Claypot", "Fabrics", "Chandlers", "Veterinary", "Copy Centre", "Awnings", "Meze",
        "Mirrors", "Mattresses",
    ),
    roads=(
        ("Jalan Melati {}", "Jln Wawasan {}", "Lorong Damai {}", "No. {}, Jalan Merbau", "{} Persiaran Cempaka"),
        ("{} Jurong Gateway Road", "Blk {} Ang Mo Kio Ave 10 #02-21", "{} Holland Drive", "{} Beach Lane"),
        ("{} Silver Street", "{} Abbeygate", "Unit {} Foundry Industrial Estate", "{}-{} Goose Lane", "{} Pound Hill"),
        ("{} W Chestnut St", "{} Bayview Avenue Unit B", "{} County Road 12", "{} Coyote Trail"),
        ("Shop {}, Meridian Plaza", "{} Elizabeth St", "{} Stuart Highway", "{} Wattle Grove"),
        ("Beethovenstr. {}", "Hinter der Kirche {}", "Eichenweg {}", "Domplatz {}"),
    ),
    places=(
        ("05000 Alor Setar, Kedah", "14000 Bukit Mertajam", "81100 Johor Bahru, Johor", "98000 Miri, Sarawak"),
        ("Singapore 608549", "Singapore 560710", "S(278541)"),
        ("Lancaster LA1 1XD", "Ipswich IP4 1HN", "Bangor LL57 1UL", "Kelso TD5 7HF", "Truro TR1 2HE"),
        ("Lubbock, TX 79401", "Bangor, ME 04401", "Yakima, WA 98901", "Peoria, IL 61602"),
        ("Wagga Wagga NSW 2650", "Alice Springs NT 0870", "Mildura VIC 3500", "Albany WA 6330"),
        ("93047 Regensburg", "24937 Flensburg", "02826 Görlitz", "54290 Trier"),
    ),
    sayings=(
        "Our 25th birthday year", "Nobody knows shoes better", "Late night Thursdays to 8", "Hi there, lovely people",
        "Hand rolled since dawn", "click.rowantree.example", "Text us 07700 900 417", "Entrance on upper deck",
        "Your manager: F. Odell", "",
    ),
    things=(
        "Granary bap", "Oolong tin", "Mocha med", "Teh O limau", "Unleaded 36.4L", "Plasters x40", "Maple syrup",
        "Laksa johor", "Toad in the hole", "Bow saw", "Varnish satin 750ml", "Crocus corms", "Phone case clear",
        "Half of mild", "Leberkäse", "Almdudler 0,35", "Toddler meal", "Unagi don", "Budgie seed", "Gel pen black",
        "Heel tips", "Crab meat 100g",
    ),
    payable=(
        ("TOTAL", "Total Charged (RM)", "Total After Tax", "Jumlah Semua", "Total Cash Sales"),
        ("TOTAL", "Total After Tax", "Total Collectable", "Total Incl Svc SGD"),
        ("TOTAL", "Total for goods", "Total gathered", "Amount you owe", "To settle GBP"),
        ("TOTAL", "Total Collectable", "Total Collected", "Total Outstanding Now"),
        ("TOTAL", "Total Collectable", "Total Outstanding Now", "Total AUD inc"),
        ("TOTAL", "Endpreis EUR", "Summe inkl. USt", "Zahlbetrag EUR", "Gesamt brutto"),
    ),
    taxes=("SST rate 6%", "GST of 7%", "VAT rate 20%", "County Tax", "GST held", "USt 19,0%"),
    titles=("o o o o o", "{ SALE RECORD }", "So glad you came", "Bon für den Gast"),
    owners=("A venture of", "Kept by", ""),
    numbers=("Company No. {}", "({}-P)"),
    contacts=("Dial {}", "Desk line {}", "Revenue no {}", "VAT/GST number {}"),
    office="Head office: {} Larkfield Avenue",
    customers=("Buyer: WALKED IN", "Sold to cash", "Name: Quill & Baxter", "Kunde Nr. 58122"),
    dates=("Day of sale", "Ausgestellt am", "Day/Hour"),
    facts=(
        "Sequence", "Your host {}", "Nook {}", "Eating: {}", "REG 0{} ID {} TRX {}", "Stamp no: {}", "With you: {}",
        "Bought: {}", "At hour: {}",
    ),
    issues=("Trade Invoice", "Sales No.", "Bon-Nr."),
    issued="Bought on {}",
    valid="Offer closes 31/08/2034",
    net=("Sum without tax", "Goods value", "Zwischenbetrag"),
    discounts=("Senior saver", "3 for 2", "App offer"),
    counts=("Item tally", "Units bought"),
    included=("holding", "Tax inside", "einschließlich"),
    payments=("Notes received", "Change to you", "CREDIT ************{}", "Ref {}  Tapped", "QR payment"),
    refunds="Bring back before {}",
    thanks=("Take care now", "Alles Gute", "Sampai jumpa lagi", "Hold on to this slip"),
    adverts=("Leave us a review", "Runs on Tallyho 9", "Get the app at example.org"),
)  # fmt: skip

_COUNTRIES = (
    Country(
        ("Andersson", "Björk", "Ekström", "Forsberg", "Hägg", "Lindström", "Nyström", "Sjöberg", "Åkesson"),
        ("{} Konditori", "{} Järnhandel AB", "Restaurang {}", "{} Blommor", "{} Bilservice AB", "{} Optik HB",
         "{} Livs"),
        ("Kungsgatan {}", "Storgatan {}", "Södra vägen {}", "Hamntorget {}"),
        ("411 19 Göteborg", "211 22 Malmö", "903 26 Umeå", "753 20 Uppsala"),
        ("%Y-%m-%d", "%Y-%m-%d", "%d/%m %Y", "%d.%m.%Y"), "", ("Att betala", "Totalt SEK", "TOTALT", "Summa SEK"),
        (("varav moms 25%", 200),), added=False, comma=True,
    ),
    Country(
        ("Dvořák", "Horák", "Krejčí", "Novotný", "Pospíšil", "Růžička", "Šimek", "U Tří lvů", "Vlček"),
        ("Pekařství {}", "Hospoda {}", "{} s.r.o.", "Lékárna {}", "Květiny {}", "{} a syn, v.o.s."),
        ("Dlouhá {}", "nám. Míru {}", "Masarykova {}", "ul. Nádražní {}"),
        ("110 00 Praha 1", "602 00 Brno", "301 00 Plzeň", "370 01 České Budějovice"),
        ("%d.%m.%Y", "%d. %m. %Y", "%Y-%m-%d"), "", ("CELKEM", "K úhradě Kč", "Celkem Kč", "Suma CZK"),
        (("DPH 21% v ceně", 173),), added=False, comma=True,
    ),
    Country(
        ("Araújo", "Barbosa", "Cavalcanti", "Dois Irmãos", "Estrela", "Ipanema", "Macedo", "Sabiá", "Teixeira"),
        ("Lanchonete {}", "Drogaria {} Ltda", "Mercado {} ME", "Autopeças {} LTDA", "Churrascaria {}",
         "{} Comércio de Tintas Ltda."),
        ("Rua das Palmeiras, {}", "Av. Paulista, {}", "Rodovia BR-101 Km {}", "Travessa do Carmo, {}"),
        ("Copacabana, Rio de Janeiro - RJ", "01310-100 São Paulo - SP", "CEP 40020-000 Salvador BA",
         "Curitiba - PR, 80010-010"),
        ("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y"), "R$ ", ("TOTAL R$", "Valor a pagar", "TOTAL", "Valor total R$"),
        (("Trib. aprox. 18%", 180),), added=False, comma=True,
    ),
    Country(
        ("Akosua", "Boateng", "Kwame", "Mensah", "Nyame Adom", "Osei", "Peace & Love", "Sankofa", "Volta"),
        ("{} Chop Bar", "{} Cold Store", "{} Enterprise", "{} Chemists Ltd", "{} Spare Parts", "{} Impex Limited",
         "Madam {} Fabrics"),
        ("{} Oxford Street", "Hse No. {}, Ring Road East", "Container {}, Makola Market", "{} Liberation Road"),
        ("Osu, Accra", "Adum, Kumasi", "Takoradi", "Tamale, Northern Region"),
        ("%d/%m/%Y", "%d-%b-%y", "%d %b %Y"), "GHS ", ("TOTAL", "Total GHS", "Total (GH¢)", "Amount To Be Settled"),
        (("VAT/NHIL 15%", 150),), added=True,
    ),
    Country(
        ("Amarasinghe", "Bandara", "Ceylon Lanka", "Fonseka", "Gunawardena", "Jayasuriya", "Nuwan", "Sudarshan"),
        ("{} Stores (Pvt) Ltd", "{} Rice & Curry", "{} Medihouse", "Grand {} Hotel", "{} Tyre House", "{} Book Shop",
         "{} Hardware & Paints"),
        ("No. {}, Galle Road", "{}/A Kandy Road", "{} Duplication Road", "No {}, Temple Lane"),
        ("Colombo 03", "Kandy 20000", "Negombo", "Galle, Southern Province"),
        ("%d/%m/%Y", "%Y-%m-%d", "%d.%m.%Y"), "Rs ", ("TOTAL", "Net Total LKR", "Total Rs.", "Bill Value"),
        (("VAT 18%", 180),), added=True,
    ),
    Country(
        ("Aravena", "Bustamante", "Contreras", "El Roble", "Fuenzalida", "Los Andes", "Muñoz", "Sepúlveda", "Tapia"),
        ("Panadería y Pastelería {}", "Botillería {}", "Ferretería {} SpA", "Minimarket {}", "Comercial {} Limitada",
         "Fuente de Soda {}"),
        ("Av. Providencia {}", "Calle Huérfanos {}", "Pasaje Los Aromos {}", "Avda. Libertad N° {}"),
        ("Santiago Centro, RM", "Viña del Mar, Valparaíso", "4030000 Concepción", "La Serena"),
        ("%d-%m-%Y", "%d/%m/%Y", "%d/%m/%y"), "$", ("TOTAL", "Total CLP", "Total boleta", "Monto a pagar"),
        (("IVA 19% incl.", 160),), added=False,
    ),
)  # fmt: skip

ABROAD = abroad.Words(
    countries=_COUNTRIES,
    things=(
        "Kanelbulle", "Svíčková", "Pão de queijo", "Waakye", "Kottu roti", "Empanada de pino", "Skruv 4x30",
        "Pilsner 0,5", "Feijoada", "Kenkey & fish", "String hoppers", "Completo", "Blodprov", "Rohlík 10ks",
        "Óleo de soja", "Shea butter", "King coconut", "Palta 1kg", "Glödlampa", "Tričko", "Camiseta", "Sandals pair",
        "Exercise pad",
    ),
    greetings=("KVITTO", "Zjednodušený daňový doklad", "CUPOM NÃO FISCAL", "Cash Receipt", "Boleta electrónica",
               "Guest Bill", ""),
    mottos=("Sedan 1931", "Atendimento com carinho", "Rodinná firma", "God is able", "Abierto todos los días"),
    phones=("Tfn", "Fone", "Hotline", "Fono"),
    numbers=("Org.nr", "DIČ", "CNPJ", "GRA TIN", "Reg. No.", "R.U.T."),
    facts=(
        "Kvittonr {}", "Datum: {}", "Caixa {}", "Č. dokladu", "Emitido", "Kassör", "Mesa nº {}", "Pessoas {}",
        "Pedido {}", "Köpt {} kl {}",
    ),
    staff=("Elsa", "Zdeněk", "Thiago", "Abena"),
    heads=("Vara", "Položka", "Detalle"),
    net=("Value before VAT", "Net of VAT", "Neto afecto"),
    rounding=("Öresavr.", "Zaokrouhlení"),
    counts=("Antal artiklar", "Qtd. itens", "Nro. de productos"),
    cash=("Kontant", "Hotově", "Dinheiro recebido"),
    change=("Åter", "Vráceno", "Vuelto a entregar"),
    cards=("Kortbetalning", "Platební karta", "Cartão débito"),
    paid="Pagado {} op. {}",
    means=("Swish", "Pix", "MoMo"),
    warranty="Garanti till {}",
    thanks=("Välkommen åter", "Děkujeme za návštěvu", "Volte sempre!", "Medaase", "Gracias por preferirnos"),
)  # fmt: skip
