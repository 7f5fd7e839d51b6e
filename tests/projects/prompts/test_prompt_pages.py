"""The pages of prompts: an admin writes a version, compares it, puts it into production; nobody else sees any."""

import re
from urllib.parse import quote

import pytest

from projects.folders import actions as folders
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.prompt import LONGEST, Prompt
from projects.prompts.queries import PromptRef
from projects.sites.permissions import ADMINS, Permission
from tests.aws_faults import count_calls
from tests.factories import sample_files, start_run
from tests.people import alice, bob, charlie, dora, person, signed_in
from tests.projects.make_schemas import make_classification
from tests.projects.make_sites import BY, grant
from tests.projects.projects import SITE, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
TYPED = {"instructions": "Read the invoice.", "message": "{{page_text}}", "note": "Short", "based_on": "1"}


def text(response):
    return response.content.decode()


def base(project):
    return f"/projects/{project.id}/prompts/"


def head(project):
    found = prompt_queries.get_head(PromptRef(SITE, project.id, "extract"))
    return int(found.version), int(found.production), int(found.candidate)


@pytest.mark.parametrize("who", [bob, charlie, dora])
def test_only_an_admin_sees_or_changes_prompts(who):
    project, browser = make_project(), signed_in(who())
    url = base(project)
    for page in (url, f"{url}extract/", f"{url}extract/versions/1/"):
        assert browser.get(page).status_code == 403
    for action in ("extract/", "extract/check/", "extract/versions/1/production/", "extract/versions/1/candidate/"):
        assert browser.post(f"{url}{action}", TYPED).status_code == 403
    assert head(project) == (1, 1, 0)


def test_the_list_says_which_version_runs_use():
    project = make_project()
    page = text(signed_in(alice()).get(base(project)))
    for words in ("Extract fields", "Classify documents", "Summarize documents", "Answer questions", "As shipped"):
        assert words in page


def test_a_version_is_saved_compared_and_put_into_production():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    assert "You read one page of a document" in text(browser.get(url))
    saved = browser.post(url, TYPED)
    assert saved["Location"] == f"{url}versions/2/"
    page = text(browser.get(saved["Location"]))
    assert "Changes since version 1" in page
    assert "Compare with version" in text(browser.get(f"{url}versions/1/"))
    assert "<ins>invoice</ins>" in page
    moved = browser.post(f"{url}versions/2/production/", {"expected": "1", "reason": "Better"}, follow=True)
    assert "Version 2 is in production" in text(moved)
    assert head(project) == (2, 2, 0)


def test_text_that_cannot_work_is_told_while_typing_and_not_saved():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    wrong = TYPED | {"message": "Read {{total}}."}
    assert "{{total}} is not a placeholder" in text(browser.post(f"{url}check/", wrong))
    refused = browser.post(url, wrong)
    assert refused.status_code == 422
    assert "Add {{page_text}}" in text(refused)
    assert "Read {{total}}." in text(refused)
    assert head(project) == (1, 1, 0)


def test_the_second_of_two_admins_is_told_that_another_saved():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    rosas = signed_in(person("rosa", "Marin", ADMINS))
    second = rosas.post(url, TYPED | {"instructions": "Read the receipt."}, follow=True)
    assert "Saved as version 3. Others saved version 2 while you edited." in text(second)


def test_a_second_tab_is_told_what_the_first_saved_and_a_second_press_is_not():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    twice = text(browser.post(url, TYPED, follow=True))
    assert ("Version 2 already has this text." in twice, "while you edited" in twice) == (True, False)
    second = browser.post(url, TYPED | {"instructions": "Read the receipt."}, follow=True)
    assert "Saved as version 3. You saved version 2 while you edited." in text(second)
    signed_in(person("rosa", "Marin", ADMINS)).post(url, TYPED | {"instructions": "Hers.", "based_on": "3"})
    third = browser.post(url, TYPED | {"instructions": "Mine."}, follow=True)
    assert "Others saved version 4 while you edited. You saved versions 2, 3 while you edited." in text(third)


def test_who_saves_the_newest_text_again_is_told_that_nothing_was_saved():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    again = browser.post(url, TYPED | {"based_on": "2"}, follow=True)
    assert "Version 2 already has this text." in text(again)
    assert head(project)[0] == 2


def test_production_that_moved_meanwhile_is_not_moved_again():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    for words in ("One", "Two"):
        browser.post(url, TYPED | {"instructions": words})
    browser.post(f"{url}versions/2/production/", {"expected": "1", "reason": "Better"})
    late = browser.post(f"{url}versions/3/production/", {"expected": "1", "reason": "Mine"})
    assert late.status_code == 409
    assert "put version 2 into production" in text(late)
    assert head(project)[1] == 2


def test_a_label_needs_a_reason():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    for action, typed in (("production", {}), ("candidate", {"percent": "10"})):
        refused = browser.post(f"{url}versions/2/{action}/", {"expected": "1", **typed})
        assert refused.status_code == 422
        assert "Give a short reason" in text(refused)


@pytest.mark.parametrize(
    ("action", "typed", "status"),
    [
        ("production", {"expected": "9", "reason": "Mine & yours"}, 409),
        ("candidate", {"expected": "9", "reason": "Mine & yours", "percent": "35"}, 409),
        ("candidate", {"expected": "0", "reason": "Mine & yours", "percent": "350"}, 422),
        ("candidate", {"expected": "²", "reason": "Mine & yours", "percent": "35"}, 422),
    ],
)
def test_what_was_typed_stays_in_its_own_form(action, typed, status):
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    refused = browser.post(f"{url}versions/2/{action}/", typed)
    assert refused.status_code == status
    page = text(refused)
    assert page.count('value="Mine &amp; yours"') == 1
    assert f'value="{typed.get("percent", "10")}"' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {"id_production_reason", "id_candidate_reason"} <= set(ids)
    assert head(project) == (2, 1, 0)


def test_the_browser_stops_where_the_check_would_refuse():
    page = text(signed_in(alice()).get(f"{base(make_project())}extract/"))
    assert page.count(f'maxlength="{LONGEST}"') == 2


def test_text_that_is_too_long_is_told_once():
    project, browser = make_project(), signed_in(alice())
    refused = browser.post(f"{base(project)}extract/", TYPED | {"instructions": "x" * (LONGEST + 1)})
    assert refused.status_code == 422
    assert text(refused).count("Shorten this to 20,000 characters; it has 20,001.") == 1


def test_a_candidate_shows_its_share():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    shown = browser.post(
        f"{url}versions/2/candidate/", {"expected": "0", "percent": "25", "reason": "Trial"}, follow=True
    )
    assert "Version in use changed by Alice Novak" in text(shown)
    assert "Version in use changed by Alice Novak" in text(browser.get(url))
    assert "25 % of the runs" in text(shown)
    assert "Candidate for 25" in text(shown)
    assert head(project) == (2, 1, 2)


def test_restoring_opens_the_editor_with_the_old_text():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    page = text(browser.get(f"{url}?version=1"))
    assert "You read one page of a document" in page
    assert "Restores version 1" in page


@pytest.mark.parametrize("end", ["extract/?version=²", "extract/versions/1/?against=²"])
def test_what_is_no_version_is_as_if_none_was_named(end):
    assert signed_in(alice()).get(f"{base(make_project())}{end}").status_code == 200


@pytest.mark.parametrize("end", ["nothing/", "extract/versions/9/", "extract/versions/1/?against=9"])
def test_what_is_not_there_is_a_404(end):
    assert signed_in(alice()).get(f"{base(make_project())}{end}").status_code == 404


def test_text_of_a_prompt_is_shown_as_text():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED | {"instructions": "<script>alert(1)</script>"})
    assert "<script>alert(1)" not in text(browser.get(f"{url}versions/2/"))
    assert "<script>alert(1)" not in text(browser.get(url))


def need_two(browser):
    form = {"version": "0", "order": "second_person", "second_person": "on"}
    assert "a second person confirms prompts" in text(browser.post("/settings/sites/default/", form, follow=True))
    assert "checked" in text(browser.get("/settings/sites/default/"))


def test_moving_production_is_a_permission_of_its_own():
    grant(SITE, "writers", Permission.READ, Permission.ADMIN)
    grant(SITE, "approvers", Permission.READ, Permission.PROMOTE)
    project, writer = make_project(), signed_in(person("wim", "Bos", "writers"))
    url = f"{base(project)}extract/"
    writer.post(url, TYPED)
    assert "Put into production" not in text(writer.get(f"{url}versions/2/"))
    move = f"{url}versions/2/production/", {"expected": "1", "reason": "Better"}
    assert writer.post(*move).status_code == 403
    half = writer.post(f"{url}versions/2/candidate/", {"expected": "0", "percent": "51", "reason": "All"})
    assert half.status_code == 409
    assert "up to 50 %" in text(half)
    approver = signed_in(person("ava", "Lee", "approvers"))
    assert base(project) in text(approver.get(f"/projects/{project.id}/"))
    assert f'"{url}"' not in text(approver.get(base(project)))
    assert "Put into production" in text(approver.get(f"{url}versions/2/"))
    assert approver.get(url).status_code == approver.post(url, TYPED).status_code == 403
    assert approver.post(*move).status_code == 302
    assert head(project) == (2, 2, 0)


def test_a_second_person_confirms_what_the_first_proposes():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    need_two(browser)
    assert "Propose for production" in text(browser.get(f"{url}versions/2/"))
    sent = browser.post(f"{url}versions/2/production/", {"expected": "1", "reason": "Better"}, follow=True)
    assert "Version 2 is proposed." in text(sent)
    assert "Withdraw proposal" in text(sent)
    assert "Confirm version 2" not in text(sent)
    assert "proposed by Alice Novak" in text(browser.get(base(project)))
    assert "You proposed" in text(browser.get(url))
    rosas = signed_in(person("rosa", "Marin", ADMINS))
    page = text(rosas.get(f"{url}versions/2/"))
    proposal = {"proposal": re.search(r'name="proposal" value="(\w+)"', page)[1]}
    assert browser.post(f"{url}proposal/confirm/", proposal).status_code == 422
    unexplained = rosas.post(f"{url}proposal/decline/", proposal | {"reason": ""})
    assert unexplained.status_code == 422
    assert "Give a short reason" in text(unexplained)
    assert signed_in(bob()).post(f"{url}proposal/confirm/", proposal).status_code == 403
    assert "Version 2 is in production." in text(rosas.post(f"{url}proposal/confirm/", proposal, follow=True))
    assert head(project) == (2, 2, 0)
    late = browser.post(f"{url}proposal/decline/", proposal | {"reason": "Wait"})
    assert late.status_code == 409
    assert "no longer open" in text(late)


def test_a_declined_proposal_leaves_production_as_it_is():
    project, browser = make_project(), signed_in(alice())
    url = f"{base(project)}extract/"
    browser.post(url, TYPED)
    need_two(browser)
    browser.post(f"{url}versions/2/production/", {"expected": "1", "reason": "Better"})
    proposal = re.search(r'name="proposal" value="(\w+)"', text(browser.get(f"{url}versions/2/")))[1]
    sent = browser.post(f"{url}proposal/decline/", {"proposal": proposal, "reason": "Not yet"}, follow=True)
    assert "Version 2 was declined. Production stays as it is." in text(sent)
    assert head(project) == (2, 1, 0)


def test_a_document_type_gets_a_prompt_of_its_own(attributes):
    project, browser = make_project(), signed_in(alice())
    made = make_classification()
    chosen = browser.get(f"{base(project)}for/?purpose=extract&type={made}")
    url = f"{base(project)}extract@{made}/"
    assert chosen["Location"] == url
    page = text(browser.get(url))
    assert "Extract fields: Supplier invoice" in page
    assert "You read one page of a document" in page
    assert "The general prompt is in use" in page
    assert f'hx-post="{url}try/"' in page
    saved = browser.post(url, TYPED | {"based_on": "0"})
    assert saved["Location"] == f"{url}versions/1/"
    assert "instead of" in text(browser.get(saved["Location"]))
    browser.post(f"{url}versions/1/production/", {"expected": "0", "reason": "Better"})
    listed = text(browser.get(base(project)))
    assert f'href="{url}versions/1/"' in listed
    assert "Extract fields: Supplier invoice" in listed
    assert head(project) == (1, 1, 0)


@pytest.mark.parametrize("slug", ["extract@none", "extract@", "extract@general", "classify@none", "extract@a#b"])
def test_what_is_no_document_type_has_no_prompt(slug):
    project, browser = make_project(), signed_in(alice())
    assert browser.get(f"{base(project)}{quote(slug)}/").status_code == 404
    assert browser.post(f"{base(project)}{quote(slug)}/", TYPED).status_code == 404


@pytest.mark.wide
def test_pages_of_a_prompt_with_200_versions_stay_one_query_a_list():
    project, browser = make_project(), signed_in(alice())
    ref = PromptRef(SITE, project.id, "extract")
    prompt_actions.save_version(ref, Prompt("extract", "A\n", "{{page_text}}\n"), based_on=1, note="", by=BY)
    PromptHead.change(ref.key, [PromptHead.version.set(200)], PromptHead.version == 2)
    with PromptVersion.batch_write() as batch:
        for number in range(3, 201):
            row = prompt_queries.get_version(ref, 2)
            row.SK, row.version = ref.version_key(number).sk, number
            batch.save(row)
    url = f"{base(project)}extract/"
    for address in (base(project), url, f"{url}versions/200/", f"{url}versions/200/?against=3"):
        browser.get(address)  # the groups of the person are remembered from here on
        with count_calls() as calls:
            assert browser.get(address).status_code == 200
        queries = [one.params["ExpressionAttributeValues"] for one in calls.of("dynamodb", "Query")]
        assert len(queries) == len({str(one) for one in queries}) <= (2 if address == base(project) else 1)
        assert len(calls.names()) <= 6
    first = text(browser.get(url))
    assert "Version 200" in first
    assert "Version 100<" not in re.sub(r"\s+", "", first)


def test_the_runs_of_a_version_are_listed_by_their_documents_names_in_one_more_call():
    project, browser, run = make_project(), signed_in(alice()), start_run()
    ref, name = PromptRef(SITE, project.id, "extract"), sample_files()[0].name
    address = f"{base(project)}extract/versions/1/"
    browser.get(address)
    with count_calls() as empty:
        browser.get(address)
    prompt_actions.record_use(ref, 1, "production", workflow_id=run.workflow_id, document_id=run.document_id)
    prompt_actions.record_use(ref, 1, "production", workflow_id="01GONE", document_id="gone")
    with count_calls() as calls:
        page = " ".join(text(browser.get(address)).split())
    assert len(calls.names()) == len(empty.names()) + 1
    assert f'>{name}</a> <p class="meta truncate" title="{run.document_id}">{run.document_id}</p>' in page
    assert ">gone</a>" in page  # deleted since


def test_runs_of_documents_that_are_closed_to_an_admin_are_left_out():
    project, wages = make_project(), folders.create_path(SITE, "Wages", by=BY)
    run = start_run(folder_id=wages)
    folders.restrict_folder(SITE, wages, ["payroll"], version=1, by=BY)
    ref = PromptRef(SITE, project.id, "extract")
    prompt_actions.record_use(ref, 1, "production", workflow_id=run.workflow_id, document_id=run.document_id)
    page = text(signed_in(alice()).get(f"{base(project)}extract/versions/1/"))
    assert sample_files()[0].name not in page
    assert run.document_id not in page


def test_a_project_without_a_model_is_told_that_its_runs_use_no_prompt():
    browser = signed_in(alice())
    ruled, asked = make_project(), make_project(analyzer="model")
    words = "Runs of this project use built-in rules, which use no prompt."
    page = text(browser.get(f"{base(ruled)}extract/"))
    assert words in page
    assert f'href="/projects/{ruled.id}/edit/"' in page
    assert words in text(browser.get(f"{base(ruled)}extract/versions/1/"))
    assert "write summaries without a model" in text(browser.get(f"{base(ruled)}summarize/"))
    assert words not in text(browser.get(f"{base(asked)}extract/"))
