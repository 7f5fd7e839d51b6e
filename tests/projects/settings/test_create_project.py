import pytest

from projects.settings import queries as project_queries
from projects.settings.actions import new_project_id
from projects.settings.values import DEFAULT_FIELDS, MAX_FIELDS, FieldSetting, ProjectSettings
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.projects import SITE, typed

pytestmark = pytest.mark.django_db
URL = "/projects/new/"
NEW = ProjectSettings("Supplier invoices")


def send(browser, settings=NEW, **changes):
    return browser.post(URL, typed(settings, **({"project_id": new_project_id()} | changes)))


def only_project():
    (row,) = project_queries.list_projects(SITE)[0]
    return project_queries.get_project(SITE, row.project_id)


def test_the_form_starts_with_what_most_invoices_have(table):
    answer = signed_in(alice()).get(URL)
    assert answer.status_code == 200
    editor = answer.context["editor"]
    assert [row.initial["name"] for row in editor.rows.forms] == [one.name for one in DEFAULT_FIELDS]
    assert [row.initial["name"] for row in editor.rows.forms if row.initial["required"]] == ["company", "date", "total"]
    assert b'value="80"' in answer.content
    assert "no-store" in answer["Cache-Control"]
    assert "HX-Request" in answer["Vary"]


def test_an_admin_makes_a_project_and_lands_on_it(table):
    answer = send(signed_in(alice()))
    made = only_project()
    assert (answer.status_code, answer["Location"]) == (302, f"/projects/{made.id}/")
    assert (made.settings, made.version, made.updated_by) == (NEW, 1, "Alice Novak")


def test_htmx_is_told_to_go_to_the_new_page(table):
    answer = send(signed_in(alice(), htmx=True))
    assert (answer.status_code, answer["HX-Redirect"]) == (200, f"/projects/{only_project().id}/")


def test_the_form_sent_twice_makes_one_project(table):
    browser, project_id = signed_in(alice()), new_project_id()
    assert [send(browser, project_id=project_id).status_code for _ in range(2)] == [302, 302]
    assert only_project().id == project_id


def test_a_form_with_a_made_up_id_gets_one_of_ours(table):
    send(signed_in(alice()), project_id="../../META#x")
    assert only_project().id.startswith("proj_")


@pytest.mark.parametrize("who", [bob, charlie])
def test_only_an_admin_may(table, who):
    browser = signed_in(who())
    assert browser.get(URL).status_code == 403
    answer = send(browser)
    assert answer.status_code == 403
    assert b"Ask an admin for the admin permission" in answer.content
    assert project_queries.list_projects(SITE)[0] == []


def test_somebody_unknown_is_asked_to_sign_in(client, table):
    answer = client.post(URL, headers={"referer": f"http://testserver{URL}"})
    assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={URL}")
    assert project_queries.list_projects(SITE)[0] == []


def test_another_page_cannot_send_the_form(table):
    browser = signed_in(alice())
    browser.handler.enforce_csrf_checks = True
    answer = send(browser)
    assert answer.status_code == 403
    assert b"has expired" in answer.content


@pytest.mark.wide
@each(
    ("changes", "message"),
    [
        ({"name": ""}, "Enter a project name"),
        ({"name": "   "}, "Enter a project name"),
        ({"name": "x" * 121}, "Use at most 120 characters (currently 121)."),
        ({"description": "x" * 1001}, "currently 1001"),
        ({"document_prompt": "x" * 16_001}, "Use at most 16,000 characters"),
        ({"language": "xx"}, "Select an option from the list."),
        ({"ocr_model": "none"}, "Select an option from the list."),
        ({"default_threshold": ""}, "Enter a number from 0 to 100"),
        ({"default_threshold": "a lot"}, "Enter a number from 0 to 100, for example 80."),
        ({"default_threshold": "101"}, "The maximum is 100 %."),
        ({"default_threshold": "-1"}, "The minimum is 0 %."),
        ({"default_threshold": "NaN"}, "Enter a number from 0 to 100"),
        ({"default_threshold": "80.55"}, "Use at most one decimal place."),
        ({"fields-0-label": "x" * 81}, "Use at most 80 characters"),
        ({"fields-0-name": "Company Name"}, "Use lowercase letters, digits and _"),
        ({"fields-0-name": "1st"}, "Use lowercase letters, digits and _"),
        ({"fields-1-name": "company"}, "“Company” above already uses the name company."),
        ({"fields-2-threshold": "eighty"}, "Enter a number from 0 to 100"),
        ({"fields-2-type": "image"}, "image"),
    ],
)
def test_a_mistake_is_told_beside_the_input_and_nothing_typed_is_lost(table, changes, message):
    answer = send(signed_in(alice()), **({"description": "Keep this"} | changes))
    assert answer.status_code == 422
    page = one_line(answer.content)
    assert message in page
    assert 'aria-invalid="true"' in page
    assert "Not saved. Fix 1 marked entry and save again." in page
    assert "description" in changes or "Keep this" in page
    assert project_queries.list_projects(SITE)[0] == []


def test_a_message_is_tied_to_its_input(table):
    page = one_line(send(signed_in(alice()), name="").content)
    assert 'id="id_name_error"' in page
    assert 'aria-invalid="true" aria-describedby="id_name_error" id="id_name"' in page


def test_htmx_gets_the_form_alone_with_its_messages(table):
    page = one_line(send(signed_in(alice(), htmx=True), name="").content)
    assert page.startswith('<form class="stack" id="project-form"')
    assert "<html" not in page


def test_a_name_is_made_from_the_label_where_none_is_typed(table):
    fields = (
        FieldSetting("", "Delivery note no.", "text"),
        FieldSetting("", "発注番号", "text"),
        FieldSetting("", "", "text"),
    )
    send(signed_in(alice()), ProjectSettings("Notes", fields=fields))
    assert [(one.name, one.label) for one in only_project().settings.fields] == [
        ("delivery_note_no", "Delivery note no."),
        ("field_2", "発注番号"),
    ]


def test_a_date_has_plausible_dates_and_other_fields_have_none(table):
    fields = (
        FieldSetting("date", "Date", "date", date_range="past"),
        FieldSetting("due_date", "Due date", "date", date_range="around"),
        FieldSetting("born", "Born", "date", date_range="any"),
        FieldSetting("note", "Note", "text"),
    )
    browser = signed_in(alice())
    answer = send(browser, ProjectSettings("Dates", fields=fields), **{"fields-3-date_range": "past"})
    assert only_project().settings.fields == fields
    page = one_line(browser.get(answer["Location"]).content)
    for words in ("Date, past only · 80", "Date · 80", "Date, any date · 80", "Text · 80"):
        assert words in page
    edit = one_line(browser.get(answer["Location"] + "edit/").content)
    assert edit.count("Plausible dates of field") == 4
    assert '<option value="any" selected>Any date</option>' in edit


def test_a_date_of_which_nothing_is_said_may_lie_ahead_unless_it_is_the_date_of_issue(table):
    fields = (FieldSetting("date", "Date", "date"), FieldSetting("ends", "Ends", "date"))
    send(signed_in(alice()), ProjectSettings("Dates", fields=fields))
    assert [one.date_range for one in only_project().settings.fields] == ["past", "around"]


@pytest.mark.parametrize("count", [0, 30, MAX_FIELDS])
def test_none_or_many_fields(table, count):
    fields = tuple(
        FieldSetting(f"f{i}", f"Field {i}", "number", required=i % 2 == 0, threshold=i / 100) for i in range(count)
    )
    browser = signed_in(alice())
    answer = send(browser, ProjectSettings("Many", fields=fields))
    assert only_project().settings.fields == fields
    assert browser.get(answer["Location"]).status_code == 200
    assert browser.get(answer["Location"] + "edit/").status_code == 200


@pytest.mark.parametrize("only", ["required", "threshold"])
def test_a_field_without_a_name_is_not_dropped_in_silence(table, only):
    last = len(NEW.fields)
    rows = {"fields-TOTAL_FORMS": str(last + 1), f"fields-{last}-type": "text", f"fields-{last}-{only}": "50"}
    answer = send(signed_in(alice()), **rows)
    assert answer.status_code == 422
    assert "Enter a label or remove the row." in one_line(answer.content)


@pytest.mark.wide
def test_too_many_fields_are_refused(table):
    fields = tuple(FieldSetting(f"f{i}", f"Field {i}", "text") for i in range(MAX_FIELDS + 1))
    answer = send(signed_in(alice()), ProjectSettings("Too many", fields=fields))
    assert answer.status_code == 422
    assert f"A project can have up to {MAX_FIELDS} fields." in one_line(answer.content)


def test_a_form_without_its_row_count_is_refused_without_a_crash(table):
    answer = send(signed_in(alice()), **{"fields-TOTAL_FORMS": "many"})
    assert answer.status_code == 422


def test_thresholds_are_typed_in_percent_and_kept_as_shares(table):
    send(signed_in(alice()), default_threshold="92.5", **{"fields-0-threshold": "7"})
    settings = only_project().settings
    assert (settings.default_threshold, settings.fields[0].threshold, settings.fields[1].threshold) == (
        0.925,
        0.07,
        None,
    )


def test_the_audit_sample_is_typed_in_percent_and_nothing_means_none(table):
    send(signed_in(alice()), audit_share="2.5")
    assert only_project().settings.audit_share == 0.025


def test_an_error_limit_is_chosen_or_left_to_the_desk(table):
    send(signed_in(alice()), most_wrong="0.02")
    assert only_project().settings.most_wrong == 0.02


def test_without_an_error_limit_of_its_own_a_project_has_the_desks(table):
    send(signed_in(alice()), most_wrong="")
    assert only_project().settings.most_wrong is None


def test_without_an_audit_sample_nobody_is_asked_for_no_reason(table):
    send(signed_in(alice()), audit_share="")
    assert only_project().settings.audit_share == 0.0


def test_the_share_of_second_reviews_is_typed_in_percent_and_nothing_means_none(table):
    send(signed_in(alice()), check_share="10")
    assert only_project().settings.check_share == 0.1
    page = signed_in(alice()).get(f"/projects/{only_project().id}/edit/").content.decode()
    assert "10 % of 200 reviews a day is 20 more." in page


@pytest.mark.parametrize(("chosen", "stored"), [("2/3", "2/3"), ("", "")])
def test_how_many_reviewers_must_agree_is_chosen_in_words(table, chosen, stored):
    send(signed_in(alice()), quorum=chosen)
    assert only_project().settings.quorum == stored
    page = one_line(signed_in(alice()).get(f"/projects/{only_project().id}/edit/").content)
    assert f'<option value="{chosen}" selected>' in page
    assert "2 of 3 reviewers must agree" in page


def test_other_numbers_of_reviewers_are_refused(table):
    assert send(signed_in(alice()), quorum="1/9").status_code == 422


def test_unchecked_fields_are_approved_only_where_an_admin_says_so(table):
    send(signed_in(alice()))
    assert only_project().settings.unseen_allowed is False


def test_an_admin_allows_unchecked_fields(table):
    send(signed_in(alice()), unseen_allowed="on")
    assert only_project().settings.unseen_allowed is True


def test_reasons_to_reject_are_lines_each_once(table):
    send(signed_in(alice()), reject_reasons=" Not ours \r\n\r\nDuplicate\r\nNot  ours\r\n")
    assert only_project().settings.reject_reasons == "Not ours\nDuplicate"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("\n".join(map(str, range(21))), "Use at most 20 reasons."),
        ("x" * 81, "Use at most 80 characters for a reason."),
    ],
)
def test_too_many_or_too_long_reasons_are_refused(table, typed, said):
    answer = send(signed_in(alice()), reject_reasons=typed)
    assert (answer.status_code, said in answer.content.decode()) == (422, True)


def test_a_document_without_a_required_field_is_approved_only_where_an_admin_says_so(table):
    assert ProjectSettings("Plain").lacking_allowed is False
    send(signed_in(alice()), lacking_allowed="on")
    assert only_project().settings.lacking_allowed is True


@pytest.mark.parametrize(("typed", "stored"), [("", 0), ("7", 7)])
def test_slots_are_a_number_or_the_desks(table, typed, stored):
    send(signed_in(alice()), slots=typed)
    assert only_project().settings.slots == stored


@pytest.mark.parametrize("typed", ["0", "1001", "x", "-3"])
def test_what_no_number_of_slots_can_be_is_said(table, typed):
    answer = send(signed_in(alice()), slots=typed)
    assert answer.status_code == 422
    assert "Enter a number from 1 to 1,000, or leave empty for the default." in one_line(answer.content)
