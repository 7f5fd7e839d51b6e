import pytest

from config.errors import Conflict, NotFound, Refused
from config.table import ENTITY_EVENT
from projects.audit.items import EntityEvent
from projects.schemas import actions as schema_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeUse, Schema
from projects.schemas.labels import actions, queries
from projects.schemas.labels.actions import LONGEST, LabelChange
from projects.schemas.labels.items import Locale, LocaleStatus
from projects.schemas.labels.keys import locale_key
from projects.schemas.labels.languages import known_languages
from projects.schemas.labels.queries import MOST_LANGUAGES
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites import queries as site_queries
from tests.projects.make_schemas import ALICE, BOB, INVOICE, SITE, make_attributes, make_classification, save
from tests.projects.make_sites import make_site
from tests.projects.schemas.labels.make_labels import interface, label, of_type, site_value, stored


def told(tag="de", site=SITE):
    pk = ENTITY_EVENT.partition_key(site, entity_type="locale", entity_id=tag)
    return [(one.type, one.payload.as_dict()) for one in EntityEvent.page(pk, consistent=True).rows]


def version(site=SITE):
    return int(site_queries.get_site(site).labels_version or 0)


def test_a_language_is_added_by_its_tag_and_the_sites_row_says_so(table):
    make_site("acme", "Tenant")
    for site, title in (("default", "Main site"), ("acme", "Tenant")):
        actions.add_language(site, "PT_br", by=ALICE)
        assert [one.tag for one in queries.list_locales(site)] == ["pt-BR"]
        row = site_queries.get_site(site)
        assert (row.locales, row.labels_version, row.title) == ({"pt-BR"}, 1, title)
        assert directory.get_site(site).locales == {"pt-BR"}  # remembered anew
        assert told("pt-BR", site) == [("created", {"locale": "pt-BR"})]


def test_a_language_is_added_once(table):
    actions.add_language(SITE, "de", by=ALICE)
    with pytest.raises(Conflict, match="already has German"):
        actions.add_language(SITE, "DE", by=BOB)
    assert len(told()) == 1


def test_what_is_no_language_is_refused(table):
    with pytest.raises(Refused, match="not a known language"):
        actions.add_language(SITE, "xx", by=ALICE)
    assert queries.list_locales(SITE) == []


def test_a_site_has_so_many_languages(table):
    for tag in list(known_languages())[:MOST_LANGUAGES]:
        actions.add_language(SITE, tag, by=ALICE)
    with pytest.raises(Refused, match=f"up to {MOST_LANGUAGES} languages"):
        actions.add_language(SITE, list(known_languages())[-1], by=ALICE)


def test_a_settings_change_of_the_default_site_goes_on_after_a_language(table):
    actions.add_language(SITE, "de", by=ALICE)
    site_actions.rename_site(SITE, "Head office", version=0, by=ALICE)
    assert site_queries.get_site(SITE).locales == {"de"}


def test_labels_are_saved_changed_and_removed_with_one_event_each(table):
    assert label({interface("total"): "Summe", interface("vendor"): "Lieferant"}) == 2
    before = version()
    assert actions.save_labels(SITE, "de", [LabelChange(interface("total"), "Summe")], by=BOB) == 0
    assert version() == before
    changes = [LabelChange(interface("total"), "Gesamtbetrag", "Summe"), LabelChange(interface("vendor"), "")]
    assert actions.save_labels(SITE, "de", changes, by=BOB) == 2
    assert stored() == {interface("total"): "Gesamtbetrag"}
    assert version() == before + 1
    assert told()[-1] == ("updated", {"set": 1, "removed": 1, "labels": ["INTERFACE#total", "INTERFACE#vendor"]})


def test_more_labels_than_one_transaction_holds_are_saved(table):
    texts = {interface(f"key{number}"): f"Wert {number}" for number in range(190)}
    assert label(texts) == 190
    assert stored() == texts
    assert [event["set"] for kind, event in told() if kind == "updated"] == [80, 80, 30]


def test_who_comes_second_is_told_and_changes_nothing(table):
    label({interface("total"): "Summe"})
    actions.save_labels(SITE, "de", [LabelChange(interface("total"), "Betrag", "Summe")], by=BOB)
    with pytest.raises(Conflict, match="Another user changed these labels"):
        actions.save_labels(
            SITE,
            "de",
            [LabelChange(interface("vendor"), "L", ""), LabelChange(interface("total"), "X", "Summe")],
            by=ALICE,
        )
    assert stored() == {interface("total"): "Betrag"}


def test_a_label_of_no_language_is_refused(table):
    for text in ("Summe", ""):
        with pytest.raises(NotFound, match="Language not found"):
            actions.save_labels(SITE, "de", [LabelChange(interface("total"), text)], by=ALICE)


def test_a_text_that_is_no_label_is_refused():
    with pytest.raises(Refused, match=f"up to {LONGEST} characters"):
        actions.tidy_label("x" * (LONGEST + 1))
    with pytest.raises(Refused, match="control characters"):
        actions.tidy_label("a\x00b")
    assert actions.tidy_label("  a \n b\u200c ") == "a b\u200c"


def test_odd_values_have_labels(table):
    odd = {site_value("category", text): "x" for text in ("a#b", "100 %", "a/b", "日本", "x" * 250)}
    odd |= {of_type("c1"): "Rechnung", of_type("c1", "total"): "Summe", of_type("c1", "category", "a#b"): "A"}
    label(odd)
    assert stored() == odd


def test_a_language_is_removed_with_its_labels_and_no_others(table):
    label({interface("total"): "Summe"})
    label({interface("total"): "Total"}, tag="pt-BR")
    label({interface("total"): "المجموع"}, tag="ar")
    actions.remove_language(SITE, "de", by=BOB)
    assert [one.tag for one in queries.list_locales(SITE)] == ["ar", "pt-BR"]
    assert site_queries.get_site(SITE).locales == {"ar", "pt-BR"}
    assert stored() == {}
    assert stored("pt-BR") == {interface("total"): "Total"}
    assert told()[-1][0] == "deleted"
    with pytest.raises(NotFound):
        actions.remove_language(SITE, "de", by=BOB)


def test_a_removal_that_stopped_goes_on(table, monkeypatch):
    label({interface("total"): "Summe"})

    def stop(*_):
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(actions, "delete_rows", stop)
        with pytest.raises(ConnectionError):
            actions.remove_language(SITE, "de", by=BOB)
    assert Locale.load(locale_key(SITE, "de")).status == LocaleStatus.REMOVING
    assert not site_queries.get_site(SITE).locales
    with pytest.raises(NotFound):
        queries.get_locale(SITE, "de")
    actions.remove_language(SITE, "de", by=BOB)
    assert (queries.list_locales(SITE), stored()) == ([], {})


def test_one_that_is_added_again_has_none_of_the_old_labels(table, monkeypatch):
    label({interface("total"): "Summe"})
    with monkeypatch.context() as patch:
        patch.setattr(actions, "_delete_labels", lambda *_: None)
        actions.remove_language(SITE, "de", by=BOB)
    actions.add_language(SITE, "de", by=ALICE)
    assert queries.get_locale(SITE, "de").is_active
    assert stored() == {}


def test_an_attribute_takes_its_labels_along(table):
    make_attributes("vendor", "total")
    label({interface("vendor"): "Lieferant", interface("total"): "Summe"})
    label({interface("vendor"): "Fornecedor"}, tag="pt-BR")
    before = version()
    schema_actions.delete_definition(SITE, "vendor", by=ALICE)
    assert stored() == {interface("total"): "Summe"}
    assert stored("pt-BR") == {}
    assert version() == before + 1


def test_an_attribute_that_stays_keeps_them(table, attributes):
    make_classification()
    label({interface("vendor"): "Lieferant"})
    with pytest.raises(Exception, match="was not deleted"):
        schema_actions.delete_definition(SITE, "vendor", by=ALICE)
    assert stored() == {interface("vendor"): "Lieferant"}


def test_a_document_types_values_take_their_labels_along(table, attributes):
    made = make_classification()
    label({
        of_type(made): "Eingangsrechnung",
        of_type(made, "category", "goods"): "Waren",
        of_type(made, "category", "rent #1"): "Miete",
        of_type(made, "currency", "EUR"): "Euro",
        of_type(made, "currency"): "Währung",
    })  # fmt: skip
    kept = AttributeUse("category", required=True, allowed=("goods",))
    save(made, Schema("Supplier invoice", (INVOICE.uses[0], kept)))
    assert stored() == {of_type(made): "Eingangsrechnung", of_type(made, "category", "goods"): "Waren"}


def test_the_site_schemas_values_do_as_well(table, attributes):
    schema = Schema("Site schema", (AttributeUse("category", allowed=("a", "b")),))
    schema_actions.save_site_schema(SITE, schema, version=0, by=ALICE)
    label({site_value("category", "a"): "A", site_value("category", "b"): "B", interface("category"): "Art"})
    schema_actions.save_site_schema(
        SITE, Schema("Site schema", (AttributeUse("category", allowed=("b",)),)), version=1, by=ALICE
    )
    assert stored() == {site_value("category", "b"): "B", interface("category"): "Art"}
    assert schema_queries.site_schema(SITE).number == 2


def test_sites_keep_theirs_apart(table):
    make_site("acme", "Tenant")
    label({interface("total"): "Summe"})
    label({interface("total"): "Endbetrag"}, site="acme")
    actions.remove_language("acme", "de", by=ALICE)
    assert stored() == {interface("total"): "Summe"}
    assert stored(site="acme") == {}
