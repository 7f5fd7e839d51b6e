"""A version that is open to everyone at its address: as it was then, once, until it is withdrawn."""

import io
from dataclasses import replace

import pikepdf
import pypdfium2
import pytest
from django.test import Client
from PIL import Image

from config import table
from config.errors import Conflict, NotFound, Refused
from projects.documents.actions.properties import remove_attribute, set_attribute
from projects.documents.items import DocumentAttribute
from projects.documents.queries import get_document, list_watermarks
from projects.folders.items import EntryType
from projects.schemas.actions import change_definition, create_definition
from projects.schemas.governing import PUBLICATION, AttributeDefinition
from projects.schemas.queries import attribute_definition
from projects.settings import actions as project_actions
from projects.settings import merging
from projects.settings.values import FieldSetting
from projects.sites.permissions import Permission
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.projects import make_project
from tests.workflows.links.test_links import link_to, opened, published
from tests.workflows.removing import ROSA
from tests.workflows.repeated import field, publish
from tests.workflows.stored import objects
from tests.workflows.test_api import API, problem, program
from workflows.documents.actions import removals
from workflows.links import actions
from workflows.links.queries import find_publication
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


@pytest.mark.wide
def test_it_shows_what_was_published_whatever_comes_after() -> None:
    run, everyone = published(), Client()
    at = f"/published/{run.document_id}/"
    assert everyone.get(at).status_code == 404
    first = actions.publish_document(SITE, run.document_id, by=ROSA)
    page = one_line(everyone.get(at).content)
    assert all(word in page for word in ("4.00", "Mill Ltd", "Paper", get_document(SITE, run.document_id).name))
    assert not any(word in page for word in ("Sign in", "Confidence", run.workflow_id, ROSA.name))
    image = everyone.get(f"{at}pages/0.png")
    assert image["Content-Type"] == "image/webp"
    assert everyone.get(f"{at}pages/1.png").status_code == 404
    with pikepdf.open(io.BytesIO(everyone.get(f"{at}download/").content)) as pdf:
        assert len(pdf.pages) == 1
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    store.write(files.page_image(0), b"another page", "image/png")
    publish_again = store.read(files.output(run.workflow_id)).replace(b"4.00", b"5.00")
    store.write(files.output(run.workflow_id), publish_again, "application/json")
    assert everyone.get(f"{at}pages/0.png").content == image.content
    assert "5.00" not in everyone.get(at).content.decode()
    second = actions.publish_document(SITE, run.document_id, seen=first, by=ROSA)
    assert "5.00" in everyone.get(at).content.decode()
    assert not store.exists(files.published_fields(first))
    actions.withdraw_document(SITE, run.document_id, seen=second, by=ROSA)
    for path in ("", "pages/0.png", "download/"):
        assert everyone.get(at + path).status_code == 404, path
    assert not store.exists(files.published_page(second, 0))


def test_of_two_who_publish_or_withdraw_one_is_told() -> None:
    run = published()
    first = actions.publish_document(SITE, run.document_id, by=ROSA)
    with pytest.raises(Conflict, match="Rosa Marin has opened another version"):
        actions.publish_document(SITE, run.document_id, by=ROSA)
    with pytest.raises(Conflict, match="Rosa Marin has opened another version"):
        actions.withdraw_document(SITE, run.document_id, seen="another", by=ROSA)
    actions.withdraw_document(SITE, run.document_id, seen=first, by=ROSA)
    with pytest.raises(Conflict, match="withdrawn by another user"):
        actions.publish_document(SITE, run.document_id, seen=first, by=ROSA)
    with pytest.raises(NotFound):
        actions.withdraw_document(SITE, run.document_id, seen=first, by=ROSA)
    assert not DocumentFiles(SITE, run.project_id, run.document_id).exists("published/")
    with pytest.raises(Refused, match="no published result yet"):
        actions.publish_document(SITE, start_run().document_id, by=ROSA)


def test_a_deleted_document_is_open_to_no_one_and_a_purged_one_leaves_nothing() -> None:
    run, everyone = published(), Client()
    actions.publish_document(SITE, run.document_id, by=ROSA)
    removals.delete_document(SITE, run.document_id, by=ROSA)
    for path in ("", "pages/0.png", "download/"):
        assert everyone.get(f"/published/{run.document_id}/{path}").status_code == 404
    removals.restore_document(SITE, run.document_id, by=ROSA)
    assert everyone.get(f"/published/{run.document_id}/").status_code == 200
    removals.delete_document(SITE, run.document_id, by=ROSA)
    removals.purge_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    assert find_publication(SITE, run.document_id) is None
    assert objects(DocumentFiles(SITE, run.project_id, run.document_id).root) == []


def test_what_becomes_personal_later_is_masked_in_what_was_published() -> None:
    project = make_project()
    run, everyone = published(project.id), Client()
    actions.publish_document(SITE, run.document_id, by=ROSA)
    at = f"/published/{run.document_id}/"
    assert "Mill Ltd" in everyone.get(at).content.decode()
    fields = (FieldSetting("company", "Company", "text", personal=True),)
    seen = merging.digest_settings(project.settings, project.version)
    project_actions.update_project(SITE, project.id, replace(project.settings, fields=fields), seen=seen, by=ROSA)
    page = everyone.get(at).content.decode()
    assert ("Mill Ltd" in page, "•••" in page, "/pages/0.png" in page) == (False, True, False)
    assert everyone.get(f"{at}pages/0.png").status_code == 404


def test_it_is_opened_and_withdrawn_on_its_page_and_by_programs() -> None:
    rosa, run, client = signed_in(bob()), published(), program()
    form, own = f"/documents/{run.document_id}/publication/", f"/documents/{run.document_id}/"
    assert "Open to everyone" in one_line(rosa.get(form).content)
    assert "Public</span>" not in one_line(rosa.get(own).content)
    assert rosa.post(form)["Location"] == form
    assert rosa.post(form).status_code == 409
    assert "Public</span>" in one_line(rosa.get(own).content)
    row = find_publication(SITE, run.document_id)
    assert row
    assert f"/published/{run.document_id}/" in one_line(rosa.get(form).content)
    assert rosa.post(form, {"op": "withdraw", "seen": row.publication_id}).status_code == 302
    at = f"{API}/documents/{run.document_id}/publication"
    problem(client.get(at), 404)
    made = client.put(at)
    assert (made.status_code, made.json()["pages"]) == (200, 1)
    assert made.json()["url"].endswith(f"/published/{run.document_id}/")
    assert client.put(at).status_code == 200
    assert client.delete(at).status_code == 204
    problem(client.delete(at), 404)
    other = publish(start_run(), field("total", "1.00"))  # no pages are drawn
    assert client.put(f"{API}/documents/{other.document_id}/publication").json()["pages"] == 0
    assert Client().get(f"/published/{other.document_id}/download/").status_code == 404


def test_a_watermark_is_across_pages_and_downloads_of_shared_and_public_documents_alone() -> None:
    run = published()
    mark = AttributeDefinition("confidential", "Confidential", "watermark", watermark="Confidential")
    create_definition(SITE, mark, by=ROSA)
    made = link_to(EntryType.FILE, run.document_id)
    actions.publish_document(SITE, run.document_id, by=ROSA)
    browser, at = opened(made), f"documents/{run.document_id}/"
    shared, public = f"/shared/{made.share.share_id}/{at}", f"/published/{run.document_id}/"
    assert [darkest(browser.get(f"{one}pages/0.png").content) for one in (shared, public)] == [255, 255]
    set_attribute(SITE, run.document_id, "confidential", [""], by=ROSA)
    assert list_watermarks(SITE, run.document_id) == ["Confidential"]
    assert all(darkest(browser.get(f"{one}pages/0.png").content) < 220 for one in (shared, public))
    for one in (shared, public):
        pdf = pypdfium2.PdfDocument(browser.get(f"{one}download/").content)
        assert min(pdf[0].render().to_numpy().flatten()) < 220, one
    inside = signed_in(bob()).get(f"/workflows/{run.project_id}/{run.document_id}/pages/0.png")
    assert darkest(b"".join(inside)) == 255
    change_definition(SITE, "confidential", "Secret", watermark="Top secret", version=1, by=ROSA)
    assert list_watermarks(SITE, run.document_id) == ["Top secret"]
    remove_attribute(SITE, run.document_id, "confidential", by=ROSA)
    assert list_watermarks(SITE, run.document_id) == []
    assert darkest(browser.get(f"{public}pages/0.png").content) == 255


def darkest(body: bytes) -> int:
    with Image.open(io.BytesIO(body)) as image:
        lowest, _ = image.convert("L").getextrema()
    assert isinstance(lowest, int)
    return lowest


def test_a_watermark_needs_its_text() -> None:
    ada = signed_in(alice())
    form = {"label": "Secret", "key": "secret", "kind": "watermark"}
    assert ada.post("/schemas/attributes/", form).status_code == 422
    assert ada.post("/schemas/attributes/", form | {"watermark": "Geheim – ä"}).status_code == 422
    assert ada.post("/schemas/attributes/", form | {"watermark": "Secret"}).status_code == 302
    page = one_line(ada.get("/schemas/attributes/secret/").content)
    assert 'value="Secret"' in page
    assert ada.post("/schemas/attributes/secret/", {"label": "Secret", "version": "1"}).status_code == 422
    run = published()
    set_attribute(SITE, run.document_id, "secret", ["ignored"], by=ROSA)
    assert "ignored" not in one_line(ada.get(f"/documents/{run.document_id}/").content)


def found_public() -> list[str]:
    pk = table.DOCUMENT_ATTRIBUTE.gsi1_partition(SITE, key=PUBLICATION)
    return [str(one.document_id) for one in DocumentAttribute.page(pk, index="GSI1").rows]


def test_a_public_document_is_found_by_an_attribute_that_nobody_sets_by_hand() -> None:
    run, other = published(), published()
    first = actions.publish_document(SITE, run.document_id, by=ROSA)
    second = actions.publish_document(SITE, run.document_id, seen=first, by=ROSA)
    assert found_public() == [run.document_id]
    assert attribute_definition(SITE, PUBLICATION).in_use
    page = signed_in(alice()).get("/documents/", {"a": PUBLICATION, "o": "is", "v": ""}).content.decode()
    assert run.document_id in page
    assert other.document_id not in page
    client = program(Permission.READ, Permission.WRITE)
    shown = client.get(f"{API}/documents/{run.document_id}").json()["attributes"]
    assert [(one["name"], one["label"], one["kind"]) for one in shown] == [(PUBLICATION, "Public", PUBLICATION)]
    for change in (
        lambda: set_attribute(SITE, other.document_id, PUBLICATION, [], by=ROSA),
        lambda: remove_attribute(SITE, run.document_id, PUBLICATION, by=ROSA),
    ):
        with pytest.raises(Refused, match="Publish or withdraw the document"):
            change()
    actions.withdraw_document(SITE, run.document_id, seen=second, by=ROSA)
    assert found_public() == []
    assert client.get(f"{API}/documents/{run.document_id}").json()["attributes"] == []


def test_a_sites_own_attribute_of_that_name_stays_as_it_is() -> None:
    run = published()
    create_definition(SITE, AttributeDefinition(PUBLICATION, "Journal", "key_only"), by=ROSA)
    set_attribute(SITE, run.document_id, PUBLICATION, [], by=ROSA)
    publication = actions.publish_document(SITE, run.document_id, by=ROSA)
    actions.withdraw_document(SITE, run.document_id, seen=publication, by=ROSA)
    assert found_public() == [run.document_id]
