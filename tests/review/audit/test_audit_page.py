import csv
import io
import json
import re

import pytest

from config import clock
from config.transaction import transact
from projects.audit.events import Actor, actor_of, entity_event
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.queues import actions as queue_actions
from projects.settings import actions as project_actions
from projects.settings.merging import digest_settings
from projects.settings.values import ProjectSettings
from review.audit import views
from review.changes import FieldChange
from review.decide import claims, decisions
from review.decide.decisions import Verdict
from review.identity import Person
from review.queries import get_review as load
from review.status import Decision
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.review.reviews import open_review

URL = "/settings/audit/"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def project(name: str, by: Actor) -> str:
    return project_actions.create_project(
        "default", ProjectSettings(name), by=by, project_id=project_actions.new_project_id()
    ).id


def text(url: str) -> str:
    return one_line(signed_in(alice()).get(url).content)


def exported(form: str, query: str = "") -> str:
    response = signed_in(alice()).get(f"{URL}export/{form}/{query}")
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


def test_an_empty_history_says_what_will_come() -> None:
    assert "No entries yet" in text(URL)


def test_a_person_is_chosen_by_the_sign_in_name() -> None:
    project("Hers", actor_of(alice()))
    his = project("His", actor_of(bob()))
    page = text(f"{URL}?person=bob")
    assert his in page
    assert page.count("Project created") == 1


def test_the_change_of_a_prompt_leads_to_its_difference() -> None:
    by = actor_of(alice())
    here, site = project("Bills", by), "default"
    ref = PromptRef(site, here, "extract")
    for words in ("One", "Two"):
        prompt_actions.save_version(ref, Prompt("extract", words, "{{page_text}}"), based_on=1, note="", by=by)
    prompt_actions.move_production(ref, 3, expected=1, reason="Better", by=by)
    prompt_actions.set_candidate(ref, 2, expected=0, percent=5, reason="Trial", by=by)
    prompt_actions.set_candidate(ref, 2, expected=2, percent=0, reason="Enough", by=by)
    page = text(URL)
    for address in ("2/?against=1", "3/?against=2", "3/?against=1", '2/"'):
        assert f"/prompts/extract/versions/{address}" in page
    assert page.count("Show changes") == 4
    linked = re.search(r'href="([^"]+versions/3/\?against=1)"', page)
    assert linked
    assert "Changes since version 1" in text(linked[1])


def test_events_are_named_in_words() -> None:
    ref, prompt = PromptRef("default", "p1", "extract"), Prompt("extract", "Mine.\n", "{{page_text}}\n")
    prompt_actions.save_version(ref, prompt, based_on=1, note="", by=actor_of(alice()))
    for query in ("", f"?user={alice().pk}"):
        assert "Prompt version saved" in text(f"{URL}{query}")


def test_a_document_s_id_that_is_none_is_no_error() -> None:
    assert "No entries match this ID" in text(f"{URL}?document=a%23b")
    assert "No entries match" in text(f"{URL}?document=none")


def test_a_list_goes_on_with_its_filter() -> None:
    for number in range(30):
        project(f"P{number}", actor_of(alice()))
    project("His", actor_of(bob()))
    response = signed_in(alice()).get(f"{URL}?user={alice().pk}")
    following = response.context["next_cursor"]
    assert len(response.context["rows"]) == 25
    rest = signed_in(alice()).get(URL, {"user": alice().pk, "after": following}).context
    assert len(rest["rows"]) == 5
    assert rest["next_cursor"] is None


def test_a_kind_and_a_day_are_kept_in_the_address_and_an_odd_one_shows_all() -> None:
    project("Hers", actor_of(alice()))
    page = text(f"{URL}?kind=settings&day=2020-01-01")
    assert "No entries match" in page
    assert 'export/csv/?kind=settings&amp;day=2020-01-01"' in page
    assert "Project created" not in text(f"{URL}?kind=decision")
    for query in ("", "?kind=settings", "?kind=magic&day=yesterday"):
        assert "Project created" in text(URL + query)


def test_the_export_is_every_page_of_the_chosen_list() -> None:
    for number in range(30):
        project(f"P{number}", actor_of(alice()))
    project("=1+1", actor_of(bob()))
    rows = json.loads(exported("json"))
    assert len(rows) == 31
    assert rows[0]["who"] == "Bob Ito"
    lines = list(csv.DictReader(io.StringIO(exported("csv", f"?user={alice().pk}"))))
    assert len(lines) == 30
    assert {line["user_id"] for line in lines} == {str(alice().pk)}


def test_things_are_called_by_their_names_and_changes_say_from_what_to_what_and_why() -> None:
    site, by = "default", actor_of(alice())
    queue_actions.create_queue(site, "Ledger", [], by=by, queue_id="q-ledger")
    here = project("Bills", by)
    ref = PromptRef(site, here, "extract")
    prompt_actions.save_version(ref, Prompt("extract", "Mine", "{{page_text}}"), based_on=1, note="", by=by)
    prompt_actions.move_production(ref, 2, expected=1, reason="Finds the total", by=by)
    seen = digest_settings(ProjectSettings("Bills"), 1)
    changed = ProjectSettings("Bills", review_queue="q-ledger", default_threshold=0.9)
    project_actions.update_project(site, here, changed, seen=seen, by=by)
    updated, moved, *_ = csv.DictReader(io.StringIO(exported("csv")))
    assert (updated["words"], updated["what"], updated["record_id"]) == ("Project updated", "Bills", here)
    assert updated["changes"].splitlines()[:2] == ["Review threshold: 80 % → 90 %", "Review queue: none → Ledger"]
    assert (moved["what"], moved["reason"]) == ("Extract fields · Bills", "Finds the total")
    page = text(URL)
    assert "Reason: Finds the total" in page
    assert "Extract fields · Bills" in page
    assert "q-ledger" not in text(f"{URL}?type=project&record={here}")


def test_a_person_s_list_says_from_what_to_what_as_the_site_s_does() -> None:
    by = actor_of(bob())
    here = project("Old", by)
    project_actions.update_project(
        "default", here, ProjectSettings("New"), seen=digest_settings(ProjectSettings("Old"), 1), by=by
    )
    theirs = list(csv.DictReader(io.StringIO(exported("csv", "?person=bob"))))
    assert theirs == list(csv.DictReader(io.StringIO(exported("csv"))))
    assert "Name: Old → New" in theirs[0]["changes"]


def test_what_is_gone_keeps_its_id() -> None:
    by = actor_of(alice())
    transact([], entity_event("default", "batch", "B-17", "finished", by=by, payload={"project": "p-gone"}))
    (row,) = csv.DictReader(io.StringIO(exported("csv")))
    assert (row["what"], row["changes"]) == ("B-17", "project: p-gone")


def test_what_a_spreadsheet_would_run_is_text() -> None:
    project("Plain", Actor("9", "=HYPERLINK(1)"))
    (line,) = csv.DictReader(io.StringIO(exported("csv")))
    assert line["who"] == "'=HYPERLINK(1)"


def test_an_empty_export_is_still_a_file() -> None:
    assert json.loads(exported("json")) == []
    assert exported("csv").strip() == (
        "at,kind,who,words,what,changes,reason,user_id,document_id,record_type,record_id"
    )


def test_another_form_than_those_two_is_not_there() -> None:
    assert signed_in(alice()).get(f"{URL}export/xml/").status_code == 404


def test_whether_somebody_has_an_account_is_not_told() -> None:
    charlie()  # has one, and never did anything here
    browser = signed_in(alice())
    pages = [browser.get(URL, {"person": name}) for name in ("charlie", "nobody")]
    shown = [one.content.decode().replace("charlie", "nobody") for one in pages]
    assert without_nonces(shown[0]) == without_nonces(shown[1])
    assert "No entries match" in shown[0]
    assert exported("csv", "?person=charlie") == exported("csv", "?person=nobody")


def without_nonces(page: str) -> str:
    return re.sub(r"(nonce|csrfmiddlewaretoken|X-CSRFToken|value)[^>]*", "", page)


def test_a_file_that_is_not_all_of_it_says_so_and_where_the_rest_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_MOST", 20)
    monkeypatch.setattr(views, "_EXPORT_PAGE", 10)
    for number in range(25):
        project(f"P{number}", actor_of(alice()))
    *rows, rest = json.loads(exported("json", f"?user={alice().pk}"))
    assert (len(rows), rest["kind"], rest["words"]) == (
        20,
        "notice",
        "Limited to 20 rows. Continue at the address in this row.",
    )
    older = json.loads(b"".join(signed_in(alice()).get(rest["what"]).streaming_content))
    assert len({row["what"] for row in rows + older}) == 25
    lines = list(csv.DictReader(io.StringIO(exported("csv"))))
    assert lines[-1]["what"].startswith("/settings/audit/export/csv/?after=")


def test_an_export_from_another_list_s_place_is_not_there() -> None:
    assert signed_in(alice()).get(f"{URL}export/csv/?after=x").status_code == 404


def test_a_corrected_table_says_which_cells_changed_and_programs_get_it_whole() -> None:
    run, ref = open_review("timber.pdf")
    claims.claim_review(ref, run, by=Person("7", "Bob Ito"))
    found, whole = load(ref), ("Oak\t12.00\nGlue\t8.00", "Oak\t13.00\nGlue\t8.00\nNails\t2.00")
    changes = [FieldChange("items", "Items", *whole)]
    verdict = Verdict(
        clock.new_ulid(), Decision.APPROVE, int(found.version), found.result_sha256, {}, changes=changes,
        name="timber.pdf",
    )  # fmt: skip
    decisions.decide_review(ref, run, verdict, by=Person("7", "Bob Ito"))
    page = re.sub(r"<[^>]+>", "", one_line(signed_in(alice()).get(URL).content.decode()))
    assert "Items, row 1, column 2: 12.00 → 13.00" in " ".join(page.split())
    (told, *_) = csv.DictReader(io.StringIO(exported("csv", "?kind=decision")))
    assert told["changes"].splitlines() == [
        "Items, row 1, column 2: 12.00 → 13.00",
        "Items, row 3 added: Nails · 2.00",
    ]
    (kept, *_) = json.loads(exported("json", "?kind=decision"))
    assert kept["changes"] == [{"what": "Items", "before": whole[0], "after": whole[1]}]
