import pytest

from projects.documents.views import listing
from projects.schemas.labels import actions, reading
from projects.schemas.labels.languages import match_language
from projects.schemas.labels.reading import NO_LABELS, get_labels
from projects.sites import directory
from tests.aws_faults import count_calls
from tests.each import each
from tests.people import bob, signed_in
from tests.projects.make_schemas import ALICE, SITE, make_attributes
from tests.projects.make_sites import make_site
from tests.projects.schemas.labels.make_labels import interface, label, of_type, site_value, speak


@pytest.fixture(autouse=True)
def nothing_kept():
    reading._kept.clear()


@each(
    ("wanted", "tags", "found"),
    [
        ("de", {"de", "ar"}, "de"),
        ("de-at", {"de"}, "de"),
        ("pt-br", {"pt", "pt-BR"}, "pt-BR"),
        ("pt", {"pt-BR"}, "pt-BR"),
        ("pt-br", {"pt"}, "pt"),
        ("zh-hans", {"zh-Hant"}, ""),  # another script
        ("en", {"de"}, ""),
        ("", {"de"}, ""),
        (None, {"de"}, ""),
    ],
)
def test_the_language_that_fits(wanted, tags, found):
    assert match_language(wanted, tags) == found


def test_labels_are_of_the_language_of_who_looks_and_else_the_sites_own(table, monkeypatch):
    label({interface("total"): "Summe", site_value("kind", "a"): "A-Ware", of_type("t1"): "Rechnung"})
    label(
        {of_type("t1", "total"): "Endbetrag", of_type("t1", "kind", "a"): "Klasse A", interface("items.sum"): "Betrag"}
    )
    speak(monkeypatch, "de")
    labels = get_labels(SITE)
    assert labels.name_field("total", "Total") == "Summe"
    assert labels.name_field("total", "Total").lang == "de"
    assert labels.name_field("total", "Total", "t1") == "Endbetrag"
    assert labels.name_field("total", "Total", "t2") == "Summe"
    assert labels.name_field("vendor", "Vendor") == "Vendor"
    assert labels.name_column("items", "sum", "Sum") == "Betrag"
    assert labels.name_value("kind", "a") == "A-Ware"
    assert labels.name_value("kind", "a", "", "t1") == "Klasse A"
    assert labels.name_value("kind", "b") == "b"
    assert labels.name_type("t1", "Invoice") == "Rechnung"
    assert labels.name_type("t2", "Receipt") == "Receipt"
    speak(monkeypatch, "en")
    assert get_labels(SITE) is NO_LABELS
    assert get_labels(SITE, "de-CH").name_field("total", "Total") == "Summe"


def test_a_site_without_languages_asks_nothing_of_the_table(table, monkeypatch):
    make_site("acme", "Tenant")
    speak(monkeypatch, "de")
    for site in (SITE, "acme"):
        directory.get_site(site)  # as every page does
        with count_calls() as calls:
            assert get_labels(site) is NO_LABELS
        assert calls.names() == []


def test_labels_are_one_query_a_version_in_each_process(table, monkeypatch):
    label({interface("total"): "Summe"})
    speak(monkeypatch, "de")
    directory.get_site(SITE)
    with count_calls() as calls:
        for _ in range(3):
            get_labels(SITE)
    assert calls.names() == ["dynamodb.Query"]
    label({interface("total"): "Betrag"})
    directory.get_site(SITE)
    with count_calls() as calls:
        assert get_labels(SITE).name_field("total", "Total") == "Betrag"
        get_labels(SITE)
    assert calls.names() == ["dynamodb.Query"]
    actions.remove_language(SITE, "de", by=ALICE)
    assert get_labels(SITE) is NO_LABELS


def test_a_process_keeps_so_many(table, monkeypatch):
    label({interface("total"): "Summe"})
    monkeypatch.setattr(reading, "_MOST", 1)
    for version in range(3):
        reading.read_labels(SITE, "de", version)
    reading.read_labels(SITE, "ar", 1)
    assert list(reading._kept) == [(SITE, "ar")]


@pytest.mark.django_db
def test_pages_of_a_site_without_languages_cost_what_they_did(table, monkeypatch):
    speak(monkeypatch, "de")
    make_attributes("vendor")
    browser = signed_in(bob())
    costs = []
    for get in (get_labels, lambda _: NO_LABELS):
        monkeypatch.setattr(listing, "get_labels", get)
        directory.forget()
        with count_calls() as calls:
            assert browser.get("/documents/?more=1").status_code == 200
        costs.append(sorted(calls.names()))
    assert costs[0] == costs[1]
    assert "dynamodb.GetItem" in costs[0]  # the site's row, of which every page asks whether there are cases
