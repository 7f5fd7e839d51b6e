"""Entities: numbers that one alone has, imports that go on, duplicates that are merged, and who comes second."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings

from config import aws
from config.errors import Conflict, NotFound, Refused
from config.table import Key
from config.transaction import Delete, transact
from projects.entities import actions, queries
from projects.entities.actions import EntityDraft
from projects.entities.importing import import_entities
from projects.entities.items import EntityRow
from tests.factories import SITE
from tests.workflows.removing import MARTA, ROSA
from workflows.runs.items import Run
from workflows.runs.known_entities import describe_sender, find_entity_doubts
from workflows.stages.assessment.needs_review import build_assessment

pytestmark = pytest.mark.usefixtures("table")
IBAN, OTHER_IBAN, VAT = "DE89370400440532013000", "GB29NWBK60161331926819", "DE136695976"
RUN = Run(SITE, "p", "d", "w")


@pytest.fixture
def type_id(table: str) -> str:
    return actions.create_type(SITE, "Suppliers", by=ROSA).type_id


def make(type_id: str, name: str = "Mill Ltd", **more: Any) -> EntityRow:
    return actions.create_entity(SITE, type_id, EntityDraft(name, **more), by=ROSA)


def names(type_id: str, start: str = "") -> list[str]:
    return [str(one.name) for one in queries.list_entities(SITE, type_id, start=start).rows]


def named(type_id: str, text: str) -> list[str]:
    return [str(one.name) for one in queries.find_named(SITE, type_id, text)]


def stored_names(entity_id: str) -> list[Key]:
    pages = aws.dynamodb_client().get_paginator("scan").paginate(TableName=settings.TABLE_NAME)
    keys = [Key(one["PK"]["S"], one["SK"]["S"]) for page in pages for one in page["Items"]]
    return [key for key in keys if key.sk == f"entityname#{entity_id}"]


def overtake(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    real, waiting = actions.transact, [do]

    def overtaken(*changes: Any, **more: Any) -> Any:
        if waiting:
            waiting.pop()()
        return real(*changes, **more)

    monkeypatch.setattr(actions, "transact", overtaken)


def test_a_number_is_one_entitys(type_id: str) -> None:
    mill = make(type_id, tax_id="de 136-695 976", ibans=["DE89 3704 0044 0532 0130 00"])
    assert (mill.tax_id, mill.ibans) == (VAT, [IBAN])
    with pytest.raises(Conflict, match=f"{IBAN} already belongs to Mill Ltd"):
        make(type_id, "Other", ibans=[IBAN])
    other = make(type_id, "Other", ibans=[OTHER_IBAN])
    with pytest.raises(Conflict, match="Mill Ltd"):
        actions.update_entity(SITE, type_id, other.entity_id, EntityDraft("Other", VAT), version=1, by=ROSA)
    actions.update_entity(SITE, type_id, mill.entity_id, EntityDraft("Mill & Co"), version=1, by=ROSA)
    actions.update_entity(SITE, type_id, other.entity_id, EntityDraft("Other", VAT), version=1, by=ROSA)
    assert (names(type_id), names(type_id, "Mi")) == (["Mill & Co", "Other"], ["Mill & Co"])
    actions.delete_entity(SITE, type_id, other.entity_id, version=2, by=ROSA)
    assert make(type_id, "Third", tax_id=VAT).tax_id == VAT


def test_who_saves_second_is_told(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mill = make(type_id)
    draft = EntityDraft("Mill & Co")
    overtake(
        monkeypatch,
        lambda: actions.update_entity(SITE, type_id, mill.entity_id, EntityDraft("Mill KG"), version=1, by=MARTA),
    )
    with pytest.raises(Conflict, match="changed this"):
        actions.update_entity(SITE, type_id, mill.entity_id, draft, version=1, by=ROSA)
    with pytest.raises(Conflict, match=MARTA.name):
        actions.delete_entity(SITE, type_id, mill.entity_id, version=1, by=ROSA)
    assert names(type_id) == ["Mill KG"]
    assert (named(type_id, "mill & co"), named(type_id, "MILL KG")) == ([], ["Mill KG"])


def test_an_entity_is_found_by_each_of_its_names_in_any_case(type_id: str) -> None:
    acme = make(type_id, "Acme GmbH", aliases=["ACME GMBH", "Acme #1/Nord", "acme"])
    assert acme.aliases == ["Acme #1/Nord", "acme"]
    for text in ("Acme GmbH", " ACME  GMBH", "\uff21\uff43\uff4d\uff45 gmbh", "aCmE", "ACME #1/NORD"):
        assert named(type_id, text) == ["Acme GmbH"]
    for text in ("Acme G", "", " ", "#", "Acme GmbH & Co"):
        assert named(type_id, text) == []
    assert named(actions.create_type(SITE, "Customers", by=ROSA).type_id, "Acme") == []
    assert (names(type_id, "ACME"), names(type_id, "acme #")) == (["Acme GmbH"], ["Acme GmbH"])
    actions.update_entity(SITE, type_id, acme.entity_id, EntityDraft("Acme AG"), version=1, by=ROSA)
    assert [named(type_id, text) for text in ("acme gmbh", "acme", "ACME ag")] == [[], [], ["Acme AG"]]
    make(type_id, "ACME AG")
    assert (named(type_id, "Acme AG"), len(named(type_id, "acme ag"))) == (["Acme AG"], 2)
    actions.delete_entity(SITE, type_id, acme.entity_id, version=2, by=ROSA)
    assert named(type_id, "acme ag") == ["ACME AG"]
    assert not stored_names(acme.entity_id)


def test_names_of_a_duplicate_find_what_it_was_merged_into(type_id: str) -> None:
    keep, gone = make(type_id, "Acme GmbH"), make(type_id, "ACME GMBH", aliases=["Old Acme"])
    actions.merge_entities(SITE, type_id, keep.entity_id, gone.entity_id, by=ROSA)
    for text in ("Acme GmbH", "acme gmbh", "OLD ACME"):
        assert [one.entity_id for one in queries.find_named(SITE, type_id, text)] == [keep.entity_id]
    assert names(type_id, "old") == ["Acme GmbH"]
    assert not stored_names(gone.entity_id)
    assert len(stored_names(keep.entity_id)) == 2


def test_an_entity_of_before_is_found_as_it_is_spelled_and_by_each_name_once_it_is_saved(type_id: str) -> None:
    mill = make(type_id, aliases=["Old Mill"])
    for key in stored_names(mill.entity_id):
        transact([Delete(key)])
    assert (named(type_id, "Mill Ltd"), named(type_id, "mill ltd"), named(type_id, "Mill")) == (["Mill Ltd"], [], [])
    assert named(type_id, "Mill Ltd " * 300) == []  # what a document says may be longer than a key
    assert [one.name for one in queries.list_entities(SITE, type_id, start="Mil").rows] == ["Mill Ltd"]
    draft = EntityDraft("Mill Ltd", aliases=["Old Mill"], attributes={"city": "Bern"})
    actions.update_entity(SITE, type_id, mill.entity_id, draft, version=1, by=ROSA)
    assert (named(type_id, "mill ltd"), named(type_id, "OLD MILL")) == (["Mill Ltd"], ["Mill Ltd"])


def test_a_duplicate_goes_into_another_with_all_it_has(type_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = make(type_id, "Mill Ltd", tax_id=VAT, attributes={"city": "Bern"})
    gone = make(type_id, "The Mill", ibans=[IBAN], aliases=["Old Mill"], attributes={"city": "Basel", "mail": "a@b.c"})
    actions.merge_entities(SITE, type_id, keep.entity_id, gone.entity_id, by=ROSA)
    merged = queries.get_entity(SITE, type_id, keep.entity_id)
    assert (merged.aliases, merged.ibans, merged.attributes) == (
        ["The Mill", "Old Mill"], [IBAN], {"city": "Bern", "mail": "a@b.c"},
    )  # fmt: skip
    assert names(type_id) == ["Mill Ltd"]
    assert queries.find_by_numbers(SITE, [("iban", IBAN)])["iban", IBAN].documentId == keep.entity_id
    assert queries.get_entity(SITE, type_id, gone.entity_id).merged_into == keep.entity_id
    assert [one.type for one in queries.list_history(SITE, gone.entity_id)] == ["merged", "created"]
    for other in (gone.entity_id, keep.entity_id, ""):
        with pytest.raises(Refused):
            actions.merge_entities(SITE, type_id, keep.entity_id, other, by=MARTA)
    with pytest.raises(Conflict):
        actions.update_entity(SITE, type_id, gone.entity_id, EntityDraft("Back"), version=2, by=ROSA)
    third = make(type_id, "Third")
    overtake(
        monkeypatch,
        lambda: actions.update_entity(SITE, type_id, third.entity_id, EntityDraft("3rd"), version=1, by=MARTA),
    )
    with pytest.raises(Conflict, match="Nothing was merged"):
        actions.merge_entities(SITE, type_id, keep.entity_id, third.entity_id, by=ROSA)


def test_a_file_makes_what_is_new_and_adds_to_what_is_known(type_id: str) -> None:
    make(type_id, "Mill Ltd", tax_id=VAT)
    body = (f"name;tax_id;iban;city\nThe Mill;{VAT};{IBAN};Bern\nGlobex;;{OTHER_IBAN};\nBad;;DE00;\n;;;\n").encode()
    for created, updated, same in ((1, 1, 0), (0, 0, 2)):
        report = import_entities(SITE, type_id, body, by=ROSA)
        assert (report.created, report.updated, report.same) == (created, updated, same)
        assert [number for number, _ in report.refused] == [4]
    assert names(type_id) == ["Globex", "Mill Ltd"]
    report = import_entities(SITE, type_id, b"name,city\nTHE MILL,Basel\nglobex,\n", by=ROSA)
    assert (report.created, report.updated, report.same) == (0, 1, 1)
    (mill,) = queries.list_entities(SITE, type_id, start="Mill").rows
    assert (mill.aliases, mill.ibans, mill.attributes) == (["The Mill"], [IBAN], {"city": "Basel"})
    for wrong in (b"", b"a,b\n1,2\n", b"\xff\xfe", b"name\n" * 2_002, b"x" * 1_000_001):
        with pytest.raises(Refused):
            import_entities(SITE, type_id, wrong, by=ROSA)
    with pytest.raises(NotFound):
        import_entities(SITE, "none", body, by=ROSA)


def test_a_file_takes_no_tax_id_away_and_says_whose_names_were_added(type_id: str) -> None:
    report = import_entities(SITE, type_id, b"name,tax_id\nNorth,GB555\nSouth,GB 555\nnorth,GB777\n", by=ROSA)
    assert (report.created, report.updated, report.renamed) == (1, 1, [(3, "South", "North")])
    ((line, why),) = report.refused
    assert (line, why) == (4, "North is listed with the tax ID GB555. Change it on its page, or use another name.")
    (north,) = queries.list_entities(SITE, type_id).rows
    assert (north.tax_id, north.aliases) == ("GB555", ["South"])


def result(**values: str) -> dict[str, Any]:
    return {"fields": [{"name": name, "value": value} for name, value in values.items()]}


def test_a_document_whose_numbers_do_not_fit_is_doubted(type_id: str) -> None:
    assert find_entity_doubts(RUN, result(company="Mill", iban=IBAN)) == []
    make(type_id, "Mill Ltd", tax_id=VAT, ibans=[IBAN])
    make(type_id, "Globex", ibans=[OTHER_IBAN])
    assert find_entity_doubts(RUN, result(company="Mill Limited", iban=IBAN, vat=VAT)) == []
    unknown = "FR1420041010050500013M02606"
    doubts = find_entity_doubts(RUN, result(company="Mill", account=unknown, vat=VAT))
    assert doubts == [f"IBAN {unknown} is not listed for Mill Ltd"]
    duplicate = make(type_id, "MILL LTD", aliases=["Old Mill"])
    assert find_entity_doubts(RUN, result(company="mill ltd", account=unknown)) == []  # two are called so
    (mill,) = [one for one in queries.list_entities(SITE, type_id).rows if one.name == "Mill Ltd"]
    actions.merge_entities(SITE, type_id, mill.entity_id, duplicate.entity_id, by=ROSA)
    for name in ("MILL ltd", "OLD MILL"):
        assert find_entity_doubts(RUN, result(company=name, account=unknown)) == doubts
    assert find_entity_doubts(RUN, result(company="Nobody", account=unknown)) == []
    (other,) = find_entity_doubts(RUN, result(iban=OTHER_IBAN, vat=VAT))
    assert other == f"IBAN {OTHER_IBAN} belongs to Globex, the tax ID to Mill Ltd"
    (called,) = find_entity_doubts(RUN, result(company="Zürcher Käse AG", iban=OTHER_IBAN))
    assert called.endswith("belongs to Globex; the document names Zürcher Käse AG")
    found = build_assessment(result() | {"pages": []}, [], result_sha256="0", today="2026-11-25", entities=doubts)
    assert (found["review_required"], [one["text"] for one in found["reasons"]]) == (True, doubts)
    sender = describe_sender(result(company="Mill", iban=IBAN, vat=VAT)["fields"])
    assert sender == {"name": "Mill", "tax_id": VAT, "ibans": IBAN}


def test_a_tax_id_of_any_country_is_compared(type_id: str) -> None:
    make(type_id, "Mill Ltd", tax_id="GB 000 7702 30")
    assert find_entity_doubts(RUN, result(company="MILL LIMITED", vat_id="GB000770230")) == []
    assert find_entity_doubts(RUN, result(company="Mill Ltd", tax_number="000 7702 30")) == []
    assert find_entity_doubts(RUN, result(company="Tall Pines", vat_id="GB 000 770 230")) == [
        "Tax ID GB000770230 belongs to Mill Ltd; the document names Tall Pines"
    ]
    assert find_entity_doubts(RUN, result(company="Mill Ltd", vat_id="GB 111")) == [
        "Tax ID GB111 is not listed for Mill Ltd"
    ]
    for fields in ({"buyer_vat_id": "GB 111"}, {"vat": "248.00"}, {"vat_id": "exempt"}, {"vat_id": "1" * 41}):
        assert find_entity_doubts(RUN, result(company="Mill Ltd", **fields)) == []
    sender = describe_sender(result(company="Mill", vat_id="GB 000 7702 30")["fields"])
    assert sender["tax_id"] == "GB000770230"


@pytest.mark.parametrize(
    "draft", [EntityDraft(" "), EntityDraft("x" * 121), EntityDraft("A", ibans=["DE00"]), EntityDraft("A", "1" * 41)]
)
def test_what_no_entity_can_have(type_id: str, draft: EntityDraft) -> None:
    with pytest.raises(Refused):
        actions.create_entity(SITE, type_id, draft, by=ROSA)


def test_types_have_names_of_their_own(type_id: str) -> None:
    with pytest.raises(Conflict):
        actions.create_type(SITE, "suppliers", by=MARTA)


def test_a_list_whose_cells_have_moved_is_refused_by_line(type_id: str) -> None:
    report = import_entities(SITE, type_id, b'name,city\nAcme, Inc,Bern\n"Mill, Inc",Basel,\n', by=ROSA)
    assert (report.created, [line for line, _ in report.refused]) == (1, [2])
    assert "quotes" in report.refused[0][1]
    (mill,) = queries.list_entities(SITE, type_id).rows
    assert mill.name == "Mill, Inc"
    with pytest.raises(Refused, match="two columns “tax_id”"):
        import_entities(SITE, type_id, b"name,tax_id,VAT ID\nNorth,GB555,GB777\n", by=ROSA)
