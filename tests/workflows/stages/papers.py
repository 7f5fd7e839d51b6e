"""The types of a site for tests, and papers of several languages as rows."""

from projects.schemas.defaults import DEFAULT_ATTRIBUTES, DEFAULT_CLASSIFICATIONS
from workflows.stages.document_types.types import PinnedTypes, TypeSpec
from workflows.stages.field_spec import FieldSpec


def type_spec(name: str, *fields: tuple[str, str, str], type_id: str = "", required: bool = False) -> TypeSpec:
    """``fields``: name, label and type of each."""
    specs = tuple(FieldSpec(key, label, kind, required, 0.8) for key, label, kind in fields)
    return TypeSpec(type_id or name.casefold(), name, 1, specs)


def default_types() -> PinnedTypes:
    found = []
    for key, schema in DEFAULT_CLASSIFICATIONS.items():
        used = [(DEFAULT_ATTRIBUTES[use.key], use) for use in schema.uses]
        specs = tuple(
            FieldSpec(one.key, one.label, one.kind, use.required, 0.8, use.allowed, columns=one.columns)
            for one, use in used
        )
        found.append(TypeSpec(key, schema.name, 1, specs))
    return PinnedTypes(tuple(found))


PAPERS = {
    "invoice": [
        ("INVOICE", "Invoice number 77", "Bill to Brook Ltd", "Due date 1 May 2024", "Amount due 120.00"),
        ("Rechnung", "Rechnungsnummer 4711", "Kundennummer 9", "Zahlbar bis 1.5.2024", "Gesamtbetrag 99,00 EUR"),
        ("Facture n° 12", "Échéance 01/05/2024", "Total TTC 80,00", "IBAN FR76 3000"),
        ("Factura", "Fecha de vencimiento 01/05/2024", "Total 80,00", "IBAN ES91 2100"),
        ("請求書", "合計 1200.00", "Due date 2024-05-01"),
    ],
    "receipt": [
        ("Corner Shop", "Milk 1.20", "TOTAL 1.20", "CASH 2.00", "CHANGE 0.80", "Thank you"),
        ("Bäckerei Ulm", "Kassenbon", "Brot 3,20", "Summe 3,20", "Gegeben 5,00", "Rückgeld 1,80"),
        ("Boulangerie", "Ticket de caisse", "Pain 1,20", "Espèces 2,00", "Monnaie rendue 0,80"),
        ("領収書", "合計 800.00", "Cash 1000.00"),
    ],
    "contract": [
        (
            "SERVICE AGREEMENT",
            "This Agreement is made between the parties, and hereby the parties agree as follows. " * 8,
            "Governing law: the law of Spain. Termination: either party may end it. " * 8,
        ),
        (
            "Mietvertrag",
            "Die Vertragsparteien vereinbaren: die Laufzeit beginnt am 1. Mai, die Kündigung ist schriftlich. " * 8,
            "Gerichtsstand ist Ulm. " * 20,
        ),
    ],
    "": [
        ("Minutes of the meeting", "We talked about the garden and the weather."),
        ("Lebenslauf", "Ausbildung", "Berufserfahrung", "Skills"),
        ("Bank statement", "Opening balance 10.00", "Closing balance 12.00", "IBAN DE02", "Deposit 2.00"),
        (),
    ],
}
