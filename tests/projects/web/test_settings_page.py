"""The pages of a site's settings: who finds them, what they save, and what they say to whoever comes second."""

import pytest

from projects.audit.events import Actor
from projects.sites import actions as group_actions
from projects.sites import directory
from projects.sites import queries as site_queries
from projects.sites.actions import MOST_AT_ONCE, Grant
from projects.sites.permissions import DEFAULTS, EVERYTHING, NOTHING, Permission
from tests.aws_faults import count_calls
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import BY, grant, make_site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BOB = Actor("2", "Bob Ito")
GROUPS, SITES = "/settings/groups/", "/settings/sites/"


def site_form(**changes):
    return {"title": "Acme GmbH", "site_id": "acme", "group": "admins"} | changes


def group_form(*rows, new="", may_new=()):
    """What a browser posts: (group, version, shown, ticked) a row."""
    form = {"new-group": new, "may-new": list(may_new)}
    for i, (group, version, shown, ticked) in enumerate(rows):
        form |= {f"group-{i}": group, f"version-{i}": version, f"shown-{i}": ",".join(shown), f"may-{i}": list(ticked)}
    return form


def test_only_who_sets_something_up_is_led_to_settings():
    for who, found in ((alice, True), (bob, False), (charlie, False)):
        page = signed_in(who()).get("/projects/")
        assert (b'href="/settings/"' in page.content) is found
    assert signed_in(bob()).get("/settings/").status_code == 403
    grant("default", "governors", Permission.READ, Permission.GOVERN)
    page = signed_in(person("gil", "G", "governors")).get("/settings/")
    assert page.status_code == 200
    assert b"/settings/groups/" not in page.content


def test_an_admin_finds_sites_on_the_main_site_only():
    make_site("acme")
    grant("acme", "admins", *EVERYTHING)
    browser = signed_in(alice())
    assert b'href="/settings/sites/"' in browser.get("/settings/").content
    page = browser.get("/s/acme/settings/").content
    assert b"/settings/sites/" not in page
    assert b'href="/s/acme/settings/groups/"' in page
    assert browser.get("/s/acme/settings/sites/").status_code == 404
    assert browser.get("/s/acme/settings/sites/acme/").status_code == 404


def test_a_site_is_made_and_its_admin_opens_it_at_once():
    browser = signed_in(alice())
    assert b'value="admins"' in browser.get("/settings/sites/new/").content
    assert browser.post("/settings/sites/new/", site_form())["Location"] == SITES
    page = one_line(browser.get(SITES).content)
    assert "Acme GmbH created. It is available at /s/acme/." in page
    assert page.index("Main site") < page.index("/settings/sites/acme/")
    assert browser.get("/s/acme/projects/").status_code == 200
    assert signed_in(bob()).get("/s/acme/projects/").status_code == 404


@each(
    ("changes", "words"),
    [
        ({"site_id": "Acme"}, "lowercase letters, digits and hyphens"),
        ({"site_id": "projects"}, "is reserved"),
        ({"site_id": ""}, "Enter an ID"),
        ({"title": " "}, "Enter a site title"),
        ({"title": "a" * 121}, "currently 121"),
    ],
)
def test_what_no_site_can_be_is_said_beside_its_field(changes, words):
    answer = signed_in(alice()).post("/settings/sites/new/", site_form(**changes))
    assert answer.status_code == 422
    assert words in one_line(answer.content)


def test_an_id_that_is_taken_is_a_conflict_that_keeps_what_was_typed():
    make_site("acme", "First")
    answer = signed_in(alice()).post("/settings/sites/new/", site_form(title="Second & co"))
    assert answer.status_code == 409
    assert b"A site with the ID acme already exists" in answer.content
    assert b"Second &amp; co" in answer.content


def test_a_site_is_renamed_closed_and_opened_again():
    make_site("acme")
    browser, url = signed_in(alice()), "/settings/sites/acme/"
    assert b'name="version" value="1"' in browser.get(url).content
    assert browser.post(url, {"title": "New <b>", "version": "1", "order": "rename"}).status_code == 302
    assert "New &lt;b&gt;" in one_line(browser.get(SITES).content)
    browser.post(url, {"version": "2", "order": "close"})
    assert b"Users and API keys have no access" in browser.get(url).content
    browser.post(url, {"version": "3", "order": "reopen"})
    assert site_queries.get_site("acme").status == "ACTIVE"


def test_a_sites_slots_are_set_and_left_to_the_desk_again():
    make_site("acme")
    browser, url = signed_in(alice()), "/settings/sites/acme/"
    assert b'placeholder="40"' in browser.get(url).content
    answer = browser.post(url, {"slots": " 6 ", "version": "1", "order": "slots"}, follow=True)
    assert b"concurrency limit set to 6" in answer.content
    assert b'value="6"' in browser.get(url).content
    browser.post(url, {"slots": "", "version": "2", "order": "slots"})
    site = site_queries.get_site("acme")
    assert (site.slots, site.title, site.version) == (0, "Acme", 3)


@pytest.mark.parametrize("slots", ["0", "-1", "1001", "many"])
def test_what_no_number_of_slots_can_be_is_said_beside_it_and_kept(slots):
    make_site("acme")
    answer = signed_in(alice()).post("/settings/sites/acme/", {"slots": slots, "version": "1", "order": "slots"})
    assert answer.status_code == 422
    assert "Enter a number from 1 to 1,000, or leave empty for the default." in one_line(answer.content)
    assert f'value="{slots}"' in one_line(answer.content)
    assert 'value="Acme"' in one_line(answer.content)


def test_slots_that_were_changed_meanwhile_are_a_conflict_that_keeps_what_was_typed():
    make_site("acme")
    group_actions.set_slots("acme", 9, version=1, by=BOB)
    answer = signed_in(alice()).post("/settings/sites/acme/", {"slots": "5", "version": "1", "order": "slots"})
    assert answer.status_code == 409
    assert "Bob Ito changed this site" in one_line(answer.content)
    assert 'value="5"' in one_line(answer.content)
    assert site_queries.get_site("acme").slots == 9


@pytest.mark.parametrize("order", ["rename", "close"])
@pytest.mark.parametrize("version", ["1", "", "x"])
def test_who_saves_a_site_second_sees_who_was_first_and_what_is_there_now(order, version):
    make_site("acme")
    group_actions.rename_site("acme", "Theirs", version=1, by=BOB)
    answer = signed_in(alice()).post("/settings/sites/acme/", {"title": "Mine", "version": version, "order": order})
    page = one_line(answer.content)
    assert answer.status_code == 409
    assert "Bob Ito changed this site" in page
    assert '<h1 dir="auto">Theirs</h1>' in page
    assert 'value="Mine"' in page
    assert 'name="version" value="2"' in page
    assert site_queries.get_site("acme").title == "Theirs"


def test_the_main_site_is_not_offered_to_be_closed_and_a_wish_to_is_refused():
    browser = signed_in(alice())
    assert b'value="close"' not in browser.get("/settings/sites/default/").content
    assert browser.post("/settings/sites/default/", {"version": "0", "order": "close"}).status_code == 422
    assert browser.post("/settings/sites/default/", {"title": "Head", "version": "0"}).status_code == 302
    assert "Head" in one_line(browser.get(SITES).content)


def test_a_site_that_is_not_there_is_not_found():
    assert signed_in(alice()).get("/settings/sites/none/").status_code == 404
    assert signed_in(alice()).post("/settings/sites/none/", {"version": "0", "title": "x"}).status_code == 404


def test_many_sites_come_in_pages_of_one_query_each(settings):
    for i in range(settings.PAGE_SIZE + 1):
        make_site(f"site-{i:02}")
    browser = signed_in(alice())
    browser.get(SITES)
    with count_calls() as seen:
        first = browser.get(SITES)
    assert seen.names() == ["dynamodb.Query"]
    assert first.content.count(b'<th scope="row"') == settings.PAGE_SIZE + 1  # the main site has no row yet
    second = browser.get(SITES, {"after": first.context["next_cursor"]})
    assert [one.siteId for one in second.context["rows"]] == [f"site-{settings.PAGE_SIZE:02}"]


def test_the_groups_of_a_new_desk_are_shown_as_they_work():
    page = signed_in(alice()).get(GROUPS)
    assert [(row.group, row.ticked) for row in page.context["rows"]] == list(DEFAULTS.items())
    make_site("acme")
    grant("acme", "admins", *EVERYTHING)
    assert [row.group for row in signed_in(alice()).get(f"/s/acme{GROUPS}").context["rows"]] == ["admins"]


def test_the_page_is_a_query_and_one_read_of_its_rows():
    grant("default", "night", Permission.READ)
    browser = signed_in(alice())
    browser.get(GROUPS)
    with count_calls() as seen:
        browser.get(GROUPS)
    assert seen.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]


def test_what_is_ticked_is_saved_and_holds_at_once():
    browser, charlies = signed_in(alice()), signed_in(charlie())
    assert charlies.get("/projects/new/").status_code == 403
    form = group_form(("viewers", 0, ["READ"], ["READ", "ADMIN"]), ("reviewers", 0, ["READ"], ["READ"]))
    assert browser.post(GROUPS, form)["Location"] == GROUPS
    assert charlies.get("/projects/new/").status_code == 200
    assert site_queries.get_groups("default", ["viewers", "reviewers"]).keys() == {"viewers"}
    assert "1 group saved" in one_line(browser.get(GROUPS).content)


def test_saving_what_is_there_already_writes_nothing():
    with count_calls() as seen:
        answer = signed_in(alice()).post(GROUPS, group_form(("viewers", 0, ["READ"], ["READ"])))
    assert answer.status_code == 302
    assert "dynamodb.TransactWriteItems" not in seen.names()


def test_a_group_is_added_by_name_and_must_exist_where_its_name_is_no_secret():
    person("nina", "N", "night shift")
    make_site("acme")
    grant("acme", "admins", *EVERYTHING)
    browser = signed_in(alice())
    assert browser.post(GROUPS, group_form(new="night shift", may_new=["READ"])).status_code == 302
    assert directory.get_permissions("default", ["night shift"]) == {Permission.READ}
    answer = browser.post(GROUPS, group_form(new="nihgt", may_new=["READ"]))
    assert answer.status_code == 422
    assert b"Group nihgt does not exist" in answer.content
    assert browser.post(f"/s/acme{GROUPS}", group_form(new="of their own", may_new=["READ"])).status_code == 302
    again = group_form(("night shift", 1, ["READ"], ["READ"]), new="night shift", may_new=["WRITE"])
    assert b"is already listed" in browser.post(GROUPS, again).content


def test_who_saves_second_keeps_what_they_ticked_and_saves_it_over_only_by_saving_again():
    form = group_form(("viewers", 0, ["READ"], ["READ", "WRITE"]), ("reviewers", 0, ["READ"], ["READ"]))
    group_actions.save_grants("default", [Grant("viewers", DEFAULTS["viewers"], NOTHING, 0)], by=BOB)
    browser = signed_in(alice())
    answer = browser.post(GROUPS, form)
    assert answer.status_code == 409
    row = answer.context["rows"][0]
    assert (row.version, row.shown, row.ticked, row.who) == (1, NOTHING, {Permission.READ, Permission.WRITE}, "Bob Ito")
    assert "Changed by another user" in one_line(answer.content)
    assert directory.get_permissions("default", ["viewers"]) == NOTHING
    browser.post(GROUPS, group_form(("viewers", 1, [], ["READ", "WRITE"])))
    assert directory.get_permissions("default", ["viewers"]) == {Permission.READ, Permission.WRITE}


def test_a_group_that_two_add_at_once_is_a_conflict_too():
    make_site("acme")
    grant("acme", "admins", *EVERYTHING)
    grant("acme", "night", Permission.READ)
    answer = signed_in(alice()).post(f"/s/acme{GROUPS}", group_form(new="night", may_new=["WRITE"]))
    assert answer.status_code == 409
    assert [(row.group, row.version) for row in answer.context["rows"]] == [("night", 1)]


def test_a_group_that_somebody_took_away_meanwhile_is_a_conflict_too():
    make_site("acme")
    group_actions.save_grants(
        "acme", [Grant("admins", NOTHING, EVERYTHING, 0), Grant("x", NOTHING, EVERYTHING, 0)], by=BY
    )
    group_actions.save_grants("acme", [Grant("x", EVERYTHING, NOTHING, 1)], by=BOB)
    answer = signed_in(alice()).post(f"/s/acme{GROUPS}", group_form(("x", 1, EVERYTHING, ["READ"])))
    assert answer.status_code == 409
    assert [(row.version, row.shown, row.ticked) for row in answer.context["rows"]] == [(0, NOTHING, {Permission.READ})]


def test_nobody_locks_themselves_out_but_a_superuser_may_do_as_they_please():
    form = group_form(("admins", 0, EVERYTHING, ["READ"]))
    answer = signed_in(alice()).post(GROUPS, form)
    assert answer.status_code == 422
    assert b"your own admin access" in answer.content
    person("eva", "E", "admins", "chiefs")
    grant("default", "chiefs", Permission.ADMIN)
    assert signed_in(person("eva", "E")).post(GROUPS, form).status_code == 302
    root = alice()
    root.is_superuser = True
    root.save()
    assert signed_in(root).post(GROUPS, group_form(("admins", 1, ["READ"], []))).status_code == 302


def test_a_form_that_nobody_made_here_is_no_way_in():
    browser = signed_in(alice())
    many = [(f"g{i}", 0, [], ["READ"]) for i in range(MOST_AT_ONCE + 1)]
    assert browser.post(GROUPS, group_form(*many)).status_code == 422
    assert browser.post(GROUPS, group_form(("viewers", "-3", ["READ"], ["WRITE"]))).status_code == 409
    browser.post(GROUPS, group_form(("viewers", 0, ["READ"], ["READ", "ROOT"])))
    too_long = browser.post(GROUPS, group_form(("\u200b" * 150, 0, [], ["READ"])))
    assert too_long.status_code == 422
    assert b"too long to be indexed" in too_long.content
    assert directory.get_permissions("default", ["viewers"]) == {Permission.READ}


def test_the_switcher_is_there_for_who_has_another_site():
    make_site("acme", "Acme <GmbH>")
    assert b"site-menu" not in signed_in(bob()).get("/projects/").content
    grant("acme", "reviewers", Permission.READ)
    browser = signed_in(bob())
    page = one_line(browser.get("/projects/").content)
    assert 'href="/s/acme/"' in page
    assert "Acme &lt;GmbH&gt;" in page
    there = one_line(browser.get("/s/acme/projects/").content)
    assert '<a href="/s/acme/" aria-current="page">' in there
    assert '<a href="/">' in there


def test_who_has_only_another_site_is_led_there():
    make_site("acme")
    grant("acme", "tenants", Permission.READ)
    tom = person("tom", "T", "tenants")
    answer = signed_in(tom).get("/projects/")
    assert answer.status_code == 403
    assert b'href="/s/acme/"' in answer.content


def test_how_many_groups_were_saved_is_told_in_the_readers_language(settings):
    browser = signed_in(alice())
    browser.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    form = group_form(("viewers", 0, ["READ"], ["READ", "ADMIN"]), ("reviewers", 0, ["READ"], ["READ", "WRITE"]))
    assert browser.post(GROUPS, form).status_code == 302
    assert "Berechtigungen von 2 Gruppen" in one_line(browser.get(GROUPS).content)
