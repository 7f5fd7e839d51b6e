"""Prompts leave a project as a file and come into another, shown before they are saved; hostile ones are refused."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites.permissions import EVERYTHING, Permission
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, person, signed_in
from tests.projects.make_schemas import make_classification
from tests.projects.make_sites import BY, grant, make_site
from tests.projects.projects import SITE, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def text(response):
    return one_line(response.content)


def save(project, words, *, site=SITE, live=False, note="Short"):
    ref = PromptRef(site, project.id, "extract")
    made = prompt_actions.save_version(
        ref, Prompt("extract", f"{words}\n", "{{page_text}}\n"), based_on=1, note=note, by=BY
    )
    if live:
        prompt_actions.move_production(ref, made.version, expected=1, reason="Better", by=BY)
    return made.version


def versions(project, purpose="extract"):
    return int(prompt_queries.get_head(PromptRef(SITE, project.id, purpose)).version)


def url(project, end):
    return f"/projects/{project.id}/prompts/{end}"


def send_preview(browser, project, page):
    """What the browser posts from the preview."""
    shown = page.content.decode()
    typed = dict(re.findall(r'name="(seen-[^"]+)" value="(\d+)"', shown))
    typed["text"] = html.unescape(re.search(r"<textarea[^>]*hidden>\n(.*?)</textarea>", shown, re.DOTALL)[1])
    return browser.post(url(project, "import/"), typed | {"order": "save"}, follow=True)


def test_a_file_carries_prompts_from_one_project_to_another():
    one, other, browser = make_project(), make_project("Orders"), signed_in(alice())
    save(one, "Read the invoice.", live=True)
    save(one, "Only tried.")
    sent = browser.get(url(one, "export/"))
    assert sent["Content-Disposition"] == f'attachment; filename="prompts-{one.id}.yaml"'
    assert "Read the invoice." in sent.content.decode()
    assert "Only tried." not in sent.content.decode()
    page = browser.post(url(other, "import/"), {"file": SimpleUploadedFile("p.yaml", sent.content)})
    assert "1 prompt will get a new version" in text(page)
    assert "<ins>invoice</ins>" in text(page)
    assert "Already there: Classify documents, Summarize documents, Answer questions" in text(page)
    assert versions(other) == 1
    done = send_preview(browser, other, page)
    assert "Imported: Extract fields as version 2. Put them into production to use them. Already there" in text(done)
    assert (versions(other), versions(other, "classify")) == (2, 1)
    ref = PromptRef(SITE, other.id, "extract")
    assert prompt_queries.get_version(ref, 2).note == "Short"
    assert int(prompt_queries.get_head(ref).production) == 1
    again = browser.post(url(other, "import/"), {"text": sent.content.decode()})
    assert "Nothing differs from the newest versions" in text(again)


def test_one_version_is_a_file_too():
    project, browser = make_project(), signed_in(alice())
    save(project, "Read & see.")
    sent = browser.get(url(project, "extract/versions/2/export/"))
    assert "Read & see." in sent.content.decode()
    assert browser.get(url(project, "extract/versions/9/export/")).status_code == 404


def test_what_others_saved_since_the_preview_is_told():
    project, browser = make_project(), signed_in(person("rosa", "Marin", "admins"))
    save(project, "Mine.")
    file = browser.get(url(project, "extract/versions/2/export/")).content.decode().replace("Mine.", "Theirs.")
    page = browser.post(url(project, "import/"), {"text": file})
    save(project, "In between.")
    done = text(send_preview(browser, project, page))
    assert "Extract fields as version 4" in done
    assert "Others saved version 3 of Extract fields since the preview" in done


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({}, "Choose a file or paste its text"),
        ({"text": "a: &a [*a]"}, "exactly two entries|aliases"),
        ({"text": "format: 1\nprompts: [{purpose: extract, instructions: a, message: b}]"}, "Add {{page_text}}"),
        ({"text": "x" * 600_000}, "larger than 512 KB"),
        ({"text": "a: [", "order": "save"}, "not valid YAML"),
    ],
)
def test_what_cannot_be_imported_is_told_and_kept(typed, words):
    project = make_project()
    refused = signed_in(alice()).post(url(project, "import/"), typed)
    assert refused.status_code == 422
    assert re.search(words.replace("{", r"\{"), text(refused))
    assert versions(project) == 1


def test_a_file_that_is_no_text_is_told():
    refused = signed_in(alice()).post(url(make_project(), "import/"), {"file": SimpleUploadedFile("p.yaml", b"\xff")})
    assert refused.status_code == 422
    assert "not UTF-8" in text(refused)


def test_prompts_are_copied_from_another_project():
    one, other, browser = make_project("Bills"), make_project("Orders"), signed_in(alice())
    save(one, "Read the bill.", live=True)
    with count_calls() as calls:
        page = text(browser.get(url(other, "copy/")))
    assert calls.names().count("dynamodb.Query") <= 2  # the projects, and the person's groups
    assert f'value="{one.id}"' in page
    assert f'value="{other.id}"' not in page
    shown = browser.post(url(other, "copy/"), {"source": one.id})
    done = send_preview(browser, other, shown)
    assert "Extract fields as version 2" in text(done)
    assert prompt_queries.get_version(PromptRef(SITE, other.id, "extract"), 2).note == "Copied from Bills"


def test_prompts_of_another_site_are_copied_by_its_admins_only():
    make_site("acme")
    there = project_actions.create_project(
        "acme", ProjectSettings(name="Secret bills"), by=BY, project_id=project_actions.new_project_id()
    )
    save(there, "Read the secret.", site="acme", live=True)
    here, browser = make_project(), signed_in(alice())
    grant("acme", "admins", Permission.READ, Permission.PROMOTE)
    assert "Secret" not in text(browser.get(url(here, "copy/")))
    for answer in (
        browser.get(url(here, "copy/?site=acme")),
        browser.post(url(here, "copy/"), {"site": "acme", "source": there.id}),
        browser.post(url(here, "copy/"), {"site": "nowhere", "source": there.id}),
        browser.post(url(here, "copy/"), {"source": there.id}),
    ):
        assert answer.status_code == 404
    grant("acme", "admins", *EVERYTHING)
    assert "Acme" in text(browser.get(url(here, "copy/")))
    assert "Secret bills" in text(browser.get(url(here, "copy/?site=acme")))
    shown = browser.post(url(here, "copy/"), {"site": "acme", "source": there.id})
    assert "Extract fields as version 2" in text(send_preview(browser, here, shown))


def test_a_prompt_for_a_document_type_finds_it_by_name_on_another_site(attributes):
    here, browser = make_project(), signed_in(alice())
    ref = PromptRef(SITE, here.id, "extract", make_classification())
    prompt_actions.save_version(ref, Prompt("extract", "Invoices.\n", "{{page_text}}\n"), based_on=0, note="", by=BY)
    prompt_actions.move_production(ref, 1, expected=0, reason="Better", by=BY)
    file = browser.get(url(here, "export/")).content.decode()
    assert file.count("document_type: Supplier invoice") == 1
    assert (
        "document_type: Supplier invoice" in browser.get(url(here, f"{ref.slug}/versions/1/export/")).content.decode()
    )
    other = make_project("Orders")
    page = browser.post(url(other, "import/"), {"text": file})
    assert "Extract fields: Supplier invoice" in text(page)
    assert "Extract fields as version 1" in text(send_preview(browser, other, page))
    found = prompt_queries.get_head(PromptRef(SITE, other.id, "extract", ref.scope))
    assert (int(found.version), int(found.production)) == (1, 0)
    unknown = browser.post(url(other, "import/"), {"text": file.replace("Supplier", "Unknown")})
    assert unknown.status_code == 422
    assert "no document type “Unknown invoice”" in text(unknown)
    untyped = browser.post(
        url(other, "import/"), {"text": file.replace("- purpose: classify", "- purpose: classify\n  document_type: A")}
    )
    assert "has no prompts for single document types" in text(untyped)
