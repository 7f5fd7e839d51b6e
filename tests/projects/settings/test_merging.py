from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from projects.settings import merging
from projects.settings.values import DEFAULT_FIELDS, MAX_FIELDS, SETTING_LABELS, FieldSetting, ProjectSettings

BASE = ProjectSettings("Invoices", language="de", ocr_options={"lang": "german", "use_textline_orientation": False})
COMPANY, DATE, ADDRESS, TOTAL, NUMBER, CURRENCY = DEFAULT_FIELDS
NET = FieldSetting("net", "Net", "amount")
TAX = FieldSetting("tax", "Tax", "amount")


def merged(mine, theirs, base=BASE):
    return merging.merge_settings(merging.digest_settings(base, 1), mine, theirs)


def names(merge):
    return [one.name for one in merge.settings.fields]


def test_every_setting_has_a_name_that_people_know():
    assert list(SETTING_LABELS) == [one.name for one in fields(ProjectSettings)]


def test_changes_of_different_settings_are_both_kept():
    found = merged(replace(BASE, name="Mine"), replace(BASE, default_threshold=0.9, document_prompt="Theirs"))
    assert found.clashing == ()
    assert found.settings == replace(BASE, name="Mine", default_threshold=0.9, document_prompt="Theirs")


def test_the_same_setting_changed_to_two_values_is_a_clash_and_shows_mine():
    found = merged(replace(BASE, name="Mine"), replace(BASE, name="Theirs", language="fr"))
    assert found.clashing == ("name",)
    assert found.settings == replace(BASE, name="Mine", language="fr")


def test_the_same_change_twice_is_none():
    both = replace(BASE, name="Both")
    assert merged(both, both) == merging.Merge(both, ())


def test_entries_of_a_map_are_places_of_their_own():
    mine = replace(BASE, ocr_options={"lang": "german", "use_textline_orientation": True})
    found = merged(mine, replace(BASE, ocr_options={"lang": "korean", "dpi": 300, "use_textline_orientation": False}))
    assert found.clashing == ()
    assert found.settings.ocr_options == {"lang": "korean", "dpi": 300, "use_textline_orientation": True}


def test_fields_are_merged_by_name():
    mine = replace(BASE, fields=(COMPANY, DATE, ADDRESS, replace(TOTAL, threshold=0.9), NUMBER, CURRENCY, NET))
    theirs = replace(BASE, fields=(COMPANY, replace(DATE, label="Day"), TAX, TOTAL, NUMBER, CURRENCY))
    found = merged(mine, theirs)
    assert found.clashing == ()
    assert names(found) == ["company", "date", "tax", "total", "invoice_number", "currency", "net"]
    assert found.settings.fields[1].label == "Day"
    assert found.settings.fields[3].threshold == 0.9


def test_a_field_that_one_changes_and_the_other_removes_is_a_clash():
    mine = replace(BASE, fields=DEFAULT_FIELDS[1:])
    theirs = replace(BASE, fields=(replace(COMPANY, label="Seller"), *DEFAULT_FIELDS[1:]))
    assert merged(mine, theirs).clashing == ("fields.company",)
    assert names(merged(mine, theirs))[0] == "date"
    back = merged(theirs, mine)
    assert (back.clashing, back.settings.fields[0].label) == (("fields.company",), "Seller")


def test_two_fields_of_the_same_name_are_a_clash():
    mine, theirs = (replace(BASE, fields=(*DEFAULT_FIELDS, replace(NET, label=label))) for label in ("Net", "Netto"))
    assert merged(mine, theirs).clashing == ("fields.net",)


def test_a_new_order_is_kept_beside_another_ones_additions():
    mine = replace(BASE, fields=tuple(reversed(DEFAULT_FIELDS)))
    theirs = replace(BASE, fields=(COMPANY, NET, *DEFAULT_FIELDS[1:]))
    for found in (merged(mine, theirs), merged(theirs, mine)):
        assert found.clashing == ()
        assert names(found) == ["currency", "invoice_number", "total", "address", "date", "company", "net"]


def test_two_new_orders_are_a_clash():
    mine = replace(BASE, fields=tuple(reversed(DEFAULT_FIELDS)))
    theirs = replace(BASE, fields=(DATE, COMPANY, *DEFAULT_FIELDS[2:]))
    assert merged(mine, theirs).clashing == ("fields.#order",)
    assert merged(mine, mine).clashing == ()


def test_fields_that_are_too_many_only_together_are_a_clash():
    base = replace(BASE, fields=tuple(FieldSetting(f"f{i}", f"F{i}", "text") for i in range(MAX_FIELDS - 1)))
    mine, theirs = (replace(base, fields=(*base.fields, one)) for one in (NET, TAX))
    assert merged(mine, theirs, base).clashing == ("fields.#count",)


def test_what_a_form_cannot_keep_of_an_older_value_is_not_a_change():
    old = replace(BASE, description=" two\r\nlines ", default_threshold=0.8123)
    typed = replace(old, description="two\nlines", default_threshold=0.812)
    assert merged(typed, replace(old, name="Theirs"), old).settings == replace(old, name="Theirs")


def test_a_form_that_does_not_know_what_it_saw_puts_all_differences_in_question():
    found = merging.merge_settings(None, replace(BASE, name="Mine", fields=()), BASE)
    assert found.settings == replace(BASE, name="Mine", fields=())
    assert set(found.clashing) == {"name", *(f"fields.{one.name}" for one in DEFAULT_FIELDS)}


def test_what_was_seen_survives_its_seal_and_belongs_to_one_project():
    seen = merging.digest_settings(BASE, 7)
    text = merging.sign_seen(seen, "default", "proj_a")
    assert merging.unsign_seen(text, "default", "proj_a") == seen
    for other in (("acme", "proj_a"), ("default", "proj_b")):
        assert merging.unsign_seen(text, *other) is None
    assert merging.unsign_seen(text[:-1] + "x", "default", "proj_a") is None


def test_the_largest_form_stays_small():
    rows = tuple(FieldSetting(f"a_field_with_a_long_name_{i}", f"Label {i}", "text") for i in range(MAX_FIELDS))
    seen = merging.digest_settings(replace(BASE, document_prompt="x" * 16_000, fields=rows), 1)
    assert len(merging.sign_seen(seen, "default", "proj_a")) < 4000


def test_places_are_called_as_the_form_calls_them():
    known = replace(BASE, fields=(*DEFAULT_FIELDS, NET))
    assert merging.name_place("ocr_model") == "OCR model"
    assert merging.name_place("fields.net", BASE, known) == "Fields: Net"
    assert merging.name_place("fields.gone", BASE) == "Fields: gone"
    assert merging.name_place("fields.#order", BASE) == "Fields: order"
    assert merging.name_place("fields.#count", BASE) == "Fields: more than 60 in total"
    assert merging.name_place("ocr_options.use_textline_orientation").startswith("OCR options: Detect")


ROWS = st.lists(
    st.builds(
        FieldSetting,
        st.sampled_from("abcdefgh"),
        st.sampled_from(["One", "Two"]),
        st.just("text"),
        required=st.booleans(),
    ),
    unique_by=lambda one: one.name,
    max_size=8,
).map(tuple)
SETTINGS = st.builds(
    ProjectSettings,
    st.sampled_from(["a", "b"]),
    language=st.sampled_from(["en", "de", "fr"]),
    ocr_options=st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2)),
    fields=ROWS,
)


@given(SETTINGS, SETTINGS, SETTINGS)
def test_whoever_comes_second_the_same_places_clash_and_all_others_are_kept(base, one, other):
    here, there = merged(one, other, base), merged(other, one, base)
    assert set(here.clashing) == set(there.clashing)
    result, was = merging.list_places(here.settings), merging.list_places(base)
    mine, theirs = merging.list_places(one), merging.list_places(other)
    assert result.keys() <= was.keys() | mine.keys() | theirs.keys()
    for place in was.keys() | mine.keys() | theirs.keys():
        wanted = mine if mine.get(place) != was.get(place) else theirs
        assert result.get(place) == wanted.get(place)
    if not here.clashing:
        assert merging.list_places(there.settings) == result


@given(SETTINGS, SETTINGS)
def test_a_save_that_comes_alone_is_taken_as_it_is(base, mine):
    found = merged(mine, base, base)
    assert found.clashing == ()
    assert found.settings == mine
