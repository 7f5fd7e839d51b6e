import pytest
from django.core.management import call_command

from workflows.search.models import SearchDocument, SearchPart, SearchRebuild


@pytest.mark.django_db
def test_every_change_of_a_model_has_its_migration() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_rows_say_what_they_are() -> None:
    document = SearchDocument(document_id="d1")
    assert str(document) == "d1"
    assert str(SearchPart(document_id=1, kind="page", position=3)) == "1 page 3"
    assert str(SearchRebuild(site="acme")) == "acme"
