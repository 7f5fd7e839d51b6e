import pytest
from django.urls import reverse

from projects.settings.values import FieldSetting
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.projects.make_queues import make_queue
from tests.projects.projects import make_project

pytestmark = pytest.mark.django_db


def url(project):
    return f"/projects/{project.id}/"


def test_everybody_with_a_role_sees_the_project_and_its_documents(table):
    project = make_project("Travel receipts", description="On the <i>way</i>")
    for who in (alice, bob, charlie):
        page = one_line(signed_in(who()).get(url(project)).content)
        assert "Travel receipts" in page
        assert "On the &lt;i&gt;way&lt;/i&gt;" in page
        documents = reverse("workflows:list-documents", args=[project.id])
        assert f'hx-get="{documents}"' in page
        assert f'href="{documents}"' in page


def test_the_settings_are_summed_up(table):
    fields = (
        FieldSetting("total", "Total", "amount", required=True, threshold=0.9),
        FieldSetting("note", "Note", "text"),
    )
    project = make_project(
        fields=fields, language="de", default_threshold=0.75, ocr_options={"use_textline_orientation": True}
    )
    page = one_line(signed_in(bob()).get(url(project)).content)
    for text in (
        "Amount · 90 %",
        "Text · 75 %",
        "required",
        "German",
        "PP-OCR",
        "Detect upside-down text",
        "by Alice Novak, v1",
    ):
        assert text in page


@pytest.mark.parametrize(
    ("required", "typing", "told"), [(False, "", True), (True, "", False), (False, "found", False)]
)
def test_it_says_what_happens_without_a_required_field(table, required, typing, told):
    project = make_project(fields=(FieldSetting("note", "Note", "text", required=required),), typing=typing)
    page = one_line(signed_in(bob()).get(url(project)).content)
    assert ("No field is required: documents in which none is found are published without review." in page) is told


NOT_USED = "Not used by built-in rules."


@pytest.mark.parametrize(
    ("analyzer", "prompt", "told"),
    [
        ("", "Receipts of a café.", True),
        ("rules", "Receipts of a café.", True),
        ("rules", "", False),
        ("model", "Receipts of a café.", False),
    ],
)
def test_a_prompt_that_no_model_reads_says_so_and_leads_to_the_choice(table, analyzer, prompt, told):
    project = make_project(analyzer=analyzer, document_prompt=prompt)
    link = f'/projects/{project.id}/edit/#id_analyzer"'
    page = one_line(signed_in(alice()).get(url(project)).content)
    assert (NOT_USED in page, link in page) == (told, told)
    page = one_line(signed_in(bob()).get(url(project)).content)
    assert (NOT_USED in page, link in page) == (told, False)


def test_by_the_desks_choice_a_model_reads_the_prompt(table, settings):
    settings.ANALYZER = "model"
    project = make_project(document_prompt="Receipts of a café.")
    assert NOT_USED not in one_line(signed_in(alice()).get(url(project)).content)


def test_only_an_admin_is_offered_the_settings(table):
    project = make_project()
    assert b"/edit/" in signed_in(alice()).get(url(project)).content
    assert b"/edit/" not in signed_in(bob()).get(url(project)).content


def test_a_project_without_fields_says_so(table):
    assert b"no review is requested" in signed_in(bob()).get(url(make_project(fields=()))).content


def test_project_and_schema_are_one_read_each(table):
    project, browser = make_project(), signed_in(bob())
    with count_calls() as seen:
        browser.get(url(project))
    assert [operation for _, operation, _ in seen.calls] == ["GetItem", "GetItem"]


def test_who_may_not_look_is_told_apart_from_what_is_not_there(client, table):
    project = make_project()
    assert signed_in(dora()).get(url(project)).status_code == 403
    assert signed_in(charlie()).get("/projects/proj_none/").status_code == 404
    assert client.get(url(project))["Location"] == f"/login/?next={url(project)}"


def test_a_closed_queue_is_named_to_its_group_and_to_admins_only(table):
    """The page of a project is open to all who may read; whose reviews wait where is not."""
    project = make_project(review_queue=make_queue("Dismissals", ["viewers"]).id)
    for who in (alice, charlie):
        assert "Dismissals" in one_line(signed_in(who()).get(url(project)).content)
    page = one_line(signed_in(bob()).get(url(project)).content)
    assert "Dismissals" not in page
    assert "In a restricted queue" in page
