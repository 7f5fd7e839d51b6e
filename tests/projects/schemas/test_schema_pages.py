from dataclasses import replace

import pytest

from projects.audit.events import actor_of
from projects.schemas import actions as schema_actions
from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeUse, Schema
from tests.aws_faults import count_calls
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_schemas import BOB, INVOICE, SITE, make_attributes, make_classification

pytestmark = pytest.mark.django_db
NEW, SITE_URL, ATTRIBUTES = "/schemas/new/", "/schemas/site/", "/schemas/attributes/"


def url(owner):
    return f"/schemas/classifications/{owner}/"


def typed(schema, version=1, **changes):
    """What a browser posts for this schema; ``changes`` may name any input, None leaves one out."""
    form = {"name": schema.name, "version": str(version), "uses-TOTAL_FORMS": str(len(schema.uses))}
    form |= {
        "uses-INITIAL_FORMS": "0",
        "composite_keys": "\r\n".join(", ".join(keys) for keys in schema.composite_keys),
    }
    for i, use in enumerate(schema.uses):
        form |= {
            f"uses-{i}-key": use.key,
            f"uses-{i}-allowed": "\r\n".join(use.allowed),
            f"uses-{i}-default": use.default,
        }
        if use.required:
            form[f"uses-{i}-required"] = "on"
    return {name: value for name, value in (form | changes).items() if value is not None}


def stored(owner):
    return schema_queries.get_classification(SITE, owner)


# --- who may -----------------------------------------------------------------
@pytest.mark.parametrize("who", [bob, charlie])
def test_only_who_governs_may(attributes, who):
    owner = make_classification()
    browser = signed_in(who())
    for path in ("/schemas/", NEW, SITE_URL, ATTRIBUTES, ATTRIBUTES + "vendor/", url(owner)):
        assert browser.get(path).status_code == 403
    posts = {
        NEW: typed(INVOICE),
        SITE_URL: typed(INVOICE, 0),
        ATTRIBUTES: {"label": "X", "key": "x", "kind": "text"},
        ATTRIBUTES + "vendor/": {"label": "Taken", "version": "1"},
        ATTRIBUTES + "urgent/delete/": {},
        url(owner): typed(Schema("Taken")),
        url(owner) + "archive/": {"archived": "1", "version": "1"},
    }
    for path, form in posts.items():
        assert browser.post(path, form).status_code == 403
    assert stored(owner).schema == INVOICE
    assert not stored(owner).archived
    assert schema_queries.site_schema(SITE).number == 0
    assert schema_queries.attribute_definition(SITE, "vendor").label == "Vendor"


def test_what_is_not_there_is_not_found(table):
    browser = signed_in(alice())
    for path in (url("none"), url("odd%23id"), ATTRIBUTES + "none/"):
        assert browser.get(path).status_code == 404


# --- classifications ---------------------------------------------------------
def test_the_list_says_what_there_is_and_how_to_begin(table):
    browser = signed_in(alice())
    assert b"No document types yet" in browser.get("/schemas/").content
    make_attributes()
    owner = make_classification(replace(INVOICE, name="A & B <i>"))
    with count_calls() as calls:
        page = one_line(browser.get("/schemas/").content)
    assert calls.names().count("dynamodb.Query") == 1
    assert "A &amp; B &lt;i&gt;" in page
    assert url(owner) in page
    assert '<a href="/settings/" aria-current="page">' in page


def test_the_page_shows_what_is_saved(attributes):
    page = one_line(signed_in(alice()).get(url(make_classification())).content)
    for text in (
        "Supplier invoice",
        'value="category"',
        "services / work",
        "Category, text",
        "category, currency",
        "v1",
    ):
        assert text in page
    assert '<option value="vendor">Vendor, text</option>' in page


def test_a_type_that_asks_for_nothing_says_what_becomes_of_its_documents(attributes):
    empty = make_classification(Schema("Letter"))
    shown = one_line(signed_in(alice()).get(url(empty)).content)
    assert 'class="message warn" data-asks-nothing' in shown
    assert "published without review" in shown
    assert "data-asks-nothing" not in one_line(signed_in(alice()).get(url(make_classification())).content)
    assert "data-asks-nothing" not in one_line(signed_in(alice()).get(SITE_URL).content)


def test_a_page_sent_back_as_it_was_changes_nothing(attributes):
    owner = make_classification()
    assert signed_in(alice()).post(url(owner), typed(INVOICE)).status_code == 302
    assert (stored(owner).schema, stored(owner).number) == (INVOICE, 1)


@pytest.mark.parametrize("htmx", [False, True])
def test_one_is_made_and_found_in_the_list(attributes, htmx):
    browser = signed_in(alice(), htmx=htmx)
    page = one_line(browser.get(NEW).content)
    wanted = page.split('name="classification_id" value="')[1].split('"')[0]
    for _ in range(2):  # a form that was sent twice makes one
        answer = browser.post(NEW, typed(INVOICE, classification_id=wanted))
        assert answer.status_code == (200 if htmx else 302)
        assert answer.get("HX-Redirect" if htmx else "Location") == "/schemas/"
    assert [one.id for one in schema_queries.list_classifications(SITE)[0]] == [wanted]
    assert stored(wanted).schema == INVOICE
    assert stored(wanted).updated_by == "Alice Novak"


def test_a_save_stores_one_form_of_what_was_typed(attributes):
    owner = make_classification()
    changes = {"uses-3-allowed": " 12.5 \r\n\r\n12.50\r\n7 ", "uses-0-default": "  A   B "}
    assert signed_in(alice()).post(url(owner), typed(INVOICE, name=" New  name ", **changes)).status_code == 302
    schema = stored(owner).schema
    assert (schema.uses[3].allowed, schema.uses[0].default) == (("12.50", "7.00"), "A B")


def test_a_row_left_blank_is_dropped(attributes):
    owner = make_classification()
    changes = {"uses-1-key": "", "uses-1-allowed": " ", "uses-1-required": "on", "composite_keys": ""}
    assert signed_in(alice()).post(url(owner), typed(INVOICE, **changes)).status_code == 302
    assert [one.key for one in stored(owner).schema.uses] == ["vendor", "currency", "total"]


def test_mistakes_are_told_beside_what_they_are_about_and_nothing_is_saved(attributes):
    owner = make_classification()
    changes = {
        "name": "",
        "uses-0-key": "nothing",
        "uses-2-allowed": "EUR\nmoney",
        "uses-3-key": "vendor",
        "composite_keys": "category",
    }
    answer = signed_in(alice()).post(url(owner), typed(INVOICE, **changes))
    assert answer.status_code == 422
    page = one_line(answer.content)
    assert "Not saved. Fix 3 marked entries and save again." in page
    assert "Enter a document type name." in page
    rows = answer.context["editor"].rows.forms
    assert [list(row.errors) for row in rows] == [[], [], ["allowed"], []]
    assert "“nothing” is a new attribute. Choose its type, then press “Create and add”." in page
    assert "Your changes are saved after that." not in page
    assert "“money” is not a valid currency value, for example EUR." in page
    assert "“category”: Enter 2 to 5 attributes, separated by commas." in page
    assert stored(owner).number == 1
    changes |= {"uses-2-default": "x" * 201, "uses-3-key": "", "composite_keys": "category" * 1000}  # by themselves
    answer = signed_in(alice()).post(url(owner), typed(INVOICE, **changes))
    assert "Not saved. Fix 4 marked entries and save again." in one_line(answer.content)
    rows = answer.context["editor"].rows.forms
    assert [sorted(row.errors) for row in rows] == [[], [], ["allowed", "default"], []]


@pytest.mark.wide
@each(
    ("changes", "sentence"),
    [
        ({"uses-0-key": ""}, "Enter an attribute key or remove the row."),
        ({"uses-3-key": "vendor"}, "vendor is already listed above."),
        ({"uses-0-key": "\ud7ff" * 80 + "x"}, "Use at most 80 characters (currently 81)."),
        ({"uses-0-key": "😀" * 80}, "is a new attribute."),
        ({"uses-1-allowed": "\n".join(map(str, range(101)))}, "Enter at most 100 values (currently 101)."),
        ({"uses-1-default": "other"}, "Choose one of the allowed values."),
        ({"uses-0-key": "urgent"}, "urgent has no values. Leave this empty."),
        ({"uses-TOTAL_FORMS": "61"}, "A schema can have up to 60 attributes."),
        ({"uses-TOTAL_FORMS": "many"}, "ManagementForm data is missing"),
        ({"composite_keys": "vendor, vendor"}, "List each attribute once."),
        ({"composite_keys": "vendor, category\nvendor, category,"}, "This key is already listed above."),
        ({"composite_keys": "\n".join(f"vendor, k{i}" for i in range(11))}, "Attribute “k0” does not exist."),
    ],
)
def test_what_a_schema_may_not_say(attributes, changes, sentence):
    owner = make_classification()
    answer = signed_in(alice()).post(url(owner), typed(INVOICE, **({"uses-0-default": "A"} | changes)))
    assert answer.status_code == 422
    assert sentence in one_line(answer.content)


def test_more_than_a_transaction_holds_is_refused_and_stays_typed(attributes):
    owner = make_classification()
    values = "\n".join(f"value {i}" for i in range(100))
    answer = signed_in(alice()).post(url(owner), typed(INVOICE, **{"uses-0-allowed": values}))
    page = one_line(answer.content)
    assert answer.status_code == 422
    assert "Nothing was changed" in page
    assert "of at most 98. Nothing was saved" in page
    assert "value 99" in page
    assert stored(owner).number == 1


@pytest.mark.parametrize("htmx", [False, True])
def test_the_loser_of_two_saves_hears_who_was_first_and_keeps_what_was_typed(attributes, htmx):
    owner = make_classification()
    schema_actions.save_classification(SITE, owner, replace(INVOICE, name="Bob's"), version=1, by=actor_of(bob()))
    browser = signed_in(alice(), htmx=htmx)
    answer = browser.post(url(owner), typed(INVOICE, name="Alice's", **{"uses-0-default": "Mine"}))
    page = one_line(answer.content)
    assert answer.status_code == 409
    assert "Bob Ito saved this on " in page
    assert "Alice&#x27;s" in page
    assert 'value="Mine"' in page
    assert ("<html" in page) != htmx
    assert 'name="version" value="2"' in page
    assert "Overwrite with my changes" in page
    assert stored(owner).schema.name == "Bob's"
    assert browser.post(url(owner), typed(INVOICE, 2, name="Alice's")).status_code == (200 if htmx else 302)
    assert stored(owner).schema.name == "Alice's"


@pytest.mark.parametrize("version", [None, "", "soon", "99"])
def test_a_form_that_lost_its_version_never_overwrites(attributes, version):
    owner = make_classification()
    assert signed_in(alice()).post(url(owner), typed(Schema("Blind"), version=version)).status_code == 409
    assert stored(owner).schema == INVOICE


@each(
    ("order", "keys", "focus"),
    [
        ("up-1", ["category", "vendor", "currency", "total"], "down-0"),
        ("down-0", ["category", "vendor", "currency", "total"], "down-1"),
        ("remove-2", ["vendor", "category", "total"], "remove-2"),
        ("add", ["vendor", "category", "currency", "total", ""], "key-4"),
        ("nonsense", ["vendor", "category", "currency", "total"], "add"),
    ],
)
@each("htmx", [False, True])
def test_rows_are_moved_as_typed_and_not_saved(attributes, order, keys, focus, htmx):
    owner = make_classification()
    form = typed(INVOICE, rows=order, name="Typed already", **{"uses-3-default": "not a <number>"})
    answer = signed_in(alice(), htmx=htmx).post(url(owner), form)
    editor = answer.context["editor"]
    assert answer.status_code == 200
    assert [row.initial.get("key", "") for row in editor.rows.forms] == keys
    assert editor.focus == focus
    page = one_line(answer.content)
    assert page.count("autofocus") == 1
    assert "not a &lt;number&gt;" in page
    assert page.startswith('<div id="uses">') == htmx
    assert ('value="Typed already"' in page) != htmx
    assert stored(owner).number == 1


def test_rows_can_be_moved_before_one_is_made_and_on_the_sites_page(attributes):
    browser = signed_in(alice())
    for path in (NEW, SITE_URL):
        answer = browser.post(path, typed(Schema("X"), rows="add"))
        assert answer.status_code == 200
        assert b'name="uses-0-key"' in answer.content


@each("htmx", [False, True])
def test_a_missing_attribute_is_made_beside_the_rows_and_keeps_what_was_typed(attributes, htmx):
    browser, key = signed_in(alice(), htmx=htmx), f"po_number_{int(htmx)}"
    new = {"rows": "create", "new-label": "PO number", "new-key": key, "new-kind": "text"}
    form = typed(Schema("Typed already", (AttributeUse("vendor"), AttributeUse(""))), **new)
    answer = browser.post(NEW, form)
    assert answer.status_code == 200
    page = one_line(answer.content)
    assert [row.initial.get("key", "") for row in answer.context["editor"].rows.forms] == ["vendor", key]
    assert "PO number created. Its row above is not saved yet." in page
    assert "autofocus" in page.partition('name="new-label"')[2].partition(">")[0]
    assert ("Typed already" in page) != htmx
    assert schema_queries.attribute_definition(SITE, key).label == "PO number"
    assert schema_queries.all_classifications(SITE) == []
    again = browser.post(NEW, form)
    assert (again.status_code, "Choose another key." in one_line(again.content)) == (409, True)
    slip = browser.post(NEW, form | {"new-label": "", "new-kind": "table"})
    assert (slip.status_code, "Enter a label." in one_line(slip.content)) == (422, True)
    assert [row.initial.get("key", "") for row in slip.context["editor"].rows.forms] == ["vendor", ""]
    kept = browser.post(NEW, form | {"rows": "add", "new-label": "Not yet made"})
    assert 'value="Not yet made"' in one_line(kept.content)
    kept = browser.post(NEW, form | {"rows": "add", "new-label": "", "new-key": "only_a_key"})
    assert 'value="only_a_key"' in one_line(kept.content)


def test_an_attribute_that_was_typed_and_not_created_is_not_lost(attributes):
    browser = signed_in(alice())
    for path in (NEW, SITE_URL, url(make_classification())):
        before = schema_queries.all_classifications(SITE)
        form = typed(Schema("Boat licence", (AttributeUse("vendor"),)), **{"new-label": "Berth", "new-kind": "text"})
        answer = browser.post(path, form)
        page = one_line(answer.content)
        assert (answer.status_code, 'value="Berth"' in page, answer.context["editor"].problems) == (422, True, 1)
        assert "This attribute is not created yet. Press “Create and add”, or clear the label." in page
        assert schema_queries.all_classifications(SITE) == before
    assert browser.post(NEW, form | {"new-label": " "}).status_code == 302


def test_a_row_that_names_the_missing_attribute_gets_no_second_one(attributes):
    browser = signed_in(alice())
    new = {"rows": "create", "new-label": "PO number", "new-kind": "text"}
    for path in (SITE_URL, url(make_classification())):
        form = typed(Schema("X", (AttributeUse("po_number"),)), **new | {"new-key": ""})
        answer = browser.post(path, form)
        assert [row.initial["key"] for row in answer.context["editor"].rows.forms] == ["po_number"]
        schema_actions.delete_definition(SITE, "po_number", by=BOB)


def next_form(answer):
    """What a browser posts of the form of a new attribute as the page shows it."""
    editor = answer.context["editor"]
    beside = {"new-offered": editor.offered, "new-missing": editor.missing_names, "new-kind": "text"}
    return beside | {f"new-{name}": value for name, value in editor.new.initial.items()}


@each("htmx", [False, True])
def test_a_row_takes_the_words_of_the_document_and_prepares_what_is_missing(attributes, htmx):
    browser, name = signed_in(alice(), htmx=htmx), f"Delivery number {int(htmx)}"
    form = typed(Schema(name, (AttributeUse("Vendor"), AttributeUse(f" {name}  ", required=True))))
    form |= {"composite_keys": f"vendor, {name.lower().replace(' ', '_')}", "uses-0-default": "A"}
    answer = browser.post(NEW, form)
    page, editor = one_line(answer.content), answer.context["editor"]
    assert (answer.status_code, editor.problems, editor.new.initial) == (422, 0, {"label": name})
    assert f"“{name}” is a new attribute. Choose its type, then press “Create and add”." in page
    assert "Your changes are saved after that." in page
    assert "New. Create it below." in page
    assert "message bad" not in page
    assert page.count("autofocus") == 1
    assert "autofocus" in page.partition('name="new-key"')[2].partition(">")[0]
    made = browser.post(NEW, form | next_form(answer) | {"rows": "create"})
    assert made.status_code == (200 if htmx else 302)
    assert made.get("HX-Redirect" if htmx else "Location") == "/schemas/"
    [saved] = [one for one in schema_queries.all_classifications(SITE) if one.name == name]
    schema = stored(saved.id).schema
    assert schema.keys == ("vendor", name.lower().replace(" ", "_"))
    assert (schema.uses[0].default, schema.uses[1].required) == ("A", True)


@pytest.mark.parametrize("is_site", [False, True])
def test_several_new_names_are_created_before_all_is_saved(attributes, is_site):
    browser, owner = signed_in(alice()), make_classification()
    path = SITE_URL if is_site else url(owner)
    uses = (AttributeUse("Berth"), AttributeUse("vendor"), AttributeUse("Länge ü. a."))
    form = typed(Schema("Boat", uses), 0 if is_site else 1)
    answer = browser.post(path, form)
    assert "“Berth” is the first of 2 new attributes." in one_line(answer.content)
    form |= next_form(answer)
    moved = browser.post(path, form | {"rows": "up-2"})
    assert moved.context["editor"].missing == ("Berth", "Länge ü. a.")
    kept = browser.post(path, form | {"rows": "remove-0"}).context["editor"]
    assert (kept.missing, kept.new.initial) == (("Länge ü. a.",), {"label": "Länge ü. a."})
    slip = browser.post(path, form | {"rows": "create", "new-kind": "table"})
    assert (slip.status_code, slip.context["editor"].missing) == (422, ("Berth", "Länge ü. a."))
    answer = browser.post(path, form | {"rows": "create"})
    page = one_line(answer.content)
    assert (answer.status_code, "Berth created. Its row above is not saved yet." in page) == (422, True)
    assert "“Länge ü. a.” is a new attribute." in page
    form |= {"uses-0-key": "berth"} | next_form(answer)
    done = browser.post(path, form | {"rows": "create", "new-key": "length"})  # the row takes the key that was chosen
    assert done.status_code == 302
    head = schema_queries.site_schema(SITE) if is_site else stored(owner)
    assert head.schema.keys == ("berth", "vendor", "length")


def test_a_new_name_under_another_label_keeps_its_row(attributes):
    browser, form = signed_in(alice()), typed(Schema("Boat", (AttributeUse("Berth"),)))
    answer = browser.post(NEW, form)
    form |= next_form(answer)
    other = browser.post(NEW, form | {"rows": "create", "new-label": "Captain"})
    assert other.status_code == 422
    assert [row["key"].value() for row in other.context["editor"].rows.forms] == ["Berth", "captain"]
    assert other.context["editor"].new.initial == {"label": "Berth"}
    # saving instead of creating would lose what was typed
    lost = browser.post(NEW, form | {"new-label": "Skipper"})
    assert "This attribute is not created yet." in one_line(lost.content)


def test_what_else_is_wrong_is_told_after_the_new_attribute_is_created(attributes):
    browser = signed_in(alice())
    form = typed(Schema("", (AttributeUse("Berth"), AttributeUse("vendor"), AttributeUse("vendor"))))
    answer = browser.post(NEW, form)
    assert answer.context["editor"].problems == 2
    made = browser.post(NEW, form | next_form(answer) | {"rows": "create"})
    page = one_line(made.content)
    assert made.status_code == 422
    assert "Not saved. Fix 2 marked entries and save again." in page
    assert "Berth created. Its row above is not saved yet." in page
    assert schema_queries.all_classifications(SITE) == []


def test_a_table_is_made_beside_the_rows_with_its_columns(attributes):
    browser = signed_in(alice())
    form = typed(Schema("Delivery note"), rows="create", **{"new-label": "Goods", "new-kind": "table"})
    slip = browser.post(NEW, form | {"new-columns": ""})
    assert (slip.status_code, "Enter the table&#x27;s columns, one per line." in slip.content.decode()) == (422, True)
    kept = browser.post(NEW, form | {"rows": "add", "new-columns": "Article, text"})
    assert kept.context["editor"].new.initial["columns"] == "Article, text"
    answer = browser.post(NEW, form | {"new-columns": "Article, text\nQuantity, number"})
    assert answer.status_code == 200
    made = schema_queries.attribute_definition(SITE, "goods")
    assert (made.kind, made.columns) == ("table", "Article\nQuantity, number")


@pytest.mark.parametrize("htmx", [False, True])
def test_one_is_archived_and_used_again(attributes, htmx):
    owner = make_classification()
    browser = signed_in(alice(), htmx=htmx)
    browser.post(url(owner) + "archive/", {"archived": "1", "version": "1"})
    assert stored(owner).archived
    assert b"Restore document type" in signed_in(alice()).get(url(owner)).content
    assert b"Archived" in signed_in(alice()).get("/schemas/").content
    browser.post(url(owner) + "archive/", {"version": "2"})
    assert not stored(owner).archived


def test_archiving_what_somebody_changed_meanwhile_asks_to_look(attributes):
    owner = make_classification()
    schema_actions.save_classification(SITE, owner, replace(INVOICE, name="Bob's"), version=1, by=BOB)
    answer = signed_in(alice()).post(url(owner) + "archive/", {"archived": "1", "version": "1"})
    assert answer.status_code == 409
    assert b"review the current version first." in answer.content
    assert not stored(owner).archived


# --- the site's schema -------------------------------------------------------
def test_the_sites_schema_is_made_by_its_first_save(attributes):
    browser = signed_in(alice())
    page = one_line(browser.get(SITE_URL).content)
    assert "Only each project’s fields are extracted" in page
    assert 'name="version" value="0"' in page
    assert 'name="name"' not in page
    wanted = Schema("Site schema", (AttributeUse("paid", required=True),))
    assert browser.post(SITE_URL, typed(wanted, 0)).status_code == 302
    assert schema_queries.site_schema(SITE).schema == wanted
    lost = browser.post(SITE_URL, typed(Schema("Site schema"), 0))
    assert lost.status_code == 409
    assert b"Alice Novak saved this on" in lost.content
    assert browser.post(SITE_URL, typed(wanted, 1, **{"uses-0-key": "nothing"})).status_code == 422
    values = "\n".join(f"value {i}" for i in range(100))
    refused = browser.post(SITE_URL, typed(wanted, 1, **{"uses-0-key": "vendor", "uses-0-allowed": values}))
    assert b"Nothing was saved; save in smaller parts." in refused.content
    assert schema_queries.site_schema(SITE).number == 1
