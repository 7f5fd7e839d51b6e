import pytest
from django.urls import reverse

from tests.aws_faults import count_calls, fail
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.make_sites import make_site
from tests.projects.projects import make_project
from tests.workflows.intake.test_bucket import KEY, owner, put, take, waiting
from workflows.intake import bucket
from workflows.intake.items import IncomingFile, IncomingStatus

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
URL = "/settings/incoming/"
NEW = URL + "folders/new/"


def quarantined() -> IncomingFile:
    arrival = put()
    take(arrival)
    return bucket.get_waiting_file("default", arrival.digest)


def settle(file: IncomingFile, order: str, who=alice):
    return signed_in(who()).post(reverse("incoming:settle-incoming", args=[file.digest]), {"order": order}, follow=True)


def page(browser, url: str = URL) -> str:
    return one_line(browser.get(url).content)


def test_an_empty_desk_says_how_files_come():
    text = page(signed_in(alice()))
    assert "Quarantine is empty" in text
    assert "No folders yet" in text


def test_without_step_functions_it_says_that_nothing_is_taken(settings):
    words = "not detected without Step Functions"
    assert words not in page(signed_in(alice()))
    settings.ENGINE = "celery"
    assert words in page(signed_in(alice()))


def test_what_waits_is_listed_with_its_reason_in_two_calls():
    quarantined()
    browser = signed_in(alice())
    browser.get(URL)
    with count_calls() as calls:
        text = page(browser)
    assert "Folder “acme” is not assigned" in text
    assert "a &quot;bill&quot; #7.pdf" in text
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem", "dynamodb.Query"]  # the last: the folders


def test_tried_again_it_says_so_and_discarded_it_is_gone():
    file = quarantined()
    assert "is being retried" in settle(file, "again").content.decode()
    assert "Retrying" in page(signed_in(alice()))
    assert "was discarded" in settle(file, "discard").content.decode()
    assert waiting() == []
    assert settle(file, "again").status_code == 404


def test_a_file_whose_key_names_no_folder_can_only_be_discarded():
    arrival = put(key="raw/2026/11/bill.pdf")
    take(arrival)
    file = bucket.get_waiting_file("default", arrival.digest)
    text = page(signed_in(alice()))
    assert "raw/YYYY/MM/DD/&lt;folder&gt;/&lt;name&gt;" in text
    assert "tenant&gt;" not in text
    assert "Discard</button>" in text
    assert "Retry</button>" not in text
    answer = settle(file, "again")
    assert answer.status_code == 422
    assert IncomingFile.load(file.key).status == IncomingStatus.QUARANTINED
    assert "was discarded" in settle(file, "discard").content.decode()
    quarantined()
    assert "Retry</button>" in page(signed_in(alice()))  # its folder may be given to a project


@pytest.mark.parametrize("error_code", ["ThrottlingException", "AccessDenied", "connection"])
def test_where_no_queue_answers_the_file_can_be_tried_once_more(error_code):
    file = quarantined()
    with fail("sqs", "SendMessage", error_code=error_code, times=9):
        answer = settle(file, "again")
    assert answer.status_code == 503
    assert "Saved data is safe; try again in a moment." in one_line(answer.content)
    assert IncomingFile.load(file.key).status == IncomingStatus.AGAIN
    assert settle(file, "again").status_code == 200


def test_another_sites_files_are_not_there():
    make_site("acme")
    owner(site="acme")
    take(put(b"", KEY))
    ((name, _),) = waiting("acme")
    assert name not in page(signed_in(alice()))
    file = bucket.list_quarantine("acme").rows[0]
    assert settle(file, "discard").status_code == 404


def test_an_admin_gives_a_folder_to_a_project_and_takes_it_back():
    project = make_project("Bills")
    browser = signed_in(alice())
    form = {"name": "acme", "project_id": project.id}
    assert "go to Bills now" in one_line(browser.post(NEW, form, follow=True).content)
    assert browser.post(NEW, form).status_code == 409
    take(put())
    assert waiting() == []
    answer = browser.post(URL + "folders/remove/", {"name": "acme"}, follow=True)
    assert "is removed." in one_line(answer.content)
    assert browser.post(URL + "folders/remove/", {"name": "acme"}).status_code == 422


@each("name", ["", "a/b", "a#b", "x" * 101, "<b>"])
def test_a_name_that_is_no_folder_is_refused(name):
    project = make_project()
    answer = signed_in(alice()).post(NEW, {"name": name, "project_id": project.id})
    assert answer.status_code == 422
    assert bucket.tenants().rows == []


def test_each_site_offers_its_own_projects():
    make_project("Ours")
    make_site("acme")
    browser = signed_in(alice())
    assert "Ours" in page(browser, NEW)
    assert "has no projects yet" in page(browser, NEW + "?site=acme")
    assert browser.get(NEW + "?site=nowhere").status_code == 404


def test_only_admins_see_any_of_it():
    assert signed_in(bob()).get(URL).status_code == 403
