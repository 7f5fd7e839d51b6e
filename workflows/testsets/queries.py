"""Reads of test sets: one Query or GetItem each. Cases and answers are objects in S3."""

from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext

from config import table
from config.errors import NotFound, Tampered
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles
from workflows.testsets.cases import Case, KnownAnswers, answers_from, cases_from
from workflows.testsets.items import StoredTestSet, StoredTestSetVersion

MISSING = Phrase("There is no such test set in this project.")


@dataclass(frozen=True)
class SetRef:
    """The ids of a test set."""

    site: str
    project_id: str
    testset_id: str

    @property
    def key(self) -> Key:
        return table.TEST_SET.key(self.site, project_id=self.project_id, testset_id=self.testset_id)

    def version_key(self, version: int) -> Key:
        return table.TEST_SET_VERSION.key(
            self.site, project_id=self.project_id, testset_id=self.testset_id, version=version
        )


def list_test_sets(site: str, project_id: str, cursor: str | None = None) -> Page[StoredTestSet]:
    """Newest first. Raises: NotFound if the cursor belongs to another list."""
    pk = table.TEST_SET.partition_key(site, project_id=project_id)
    return StoredTestSet.page(pk, newest_first=True, cursor=cursor, consistent=True)


def get_test_set(ref: SetRef) -> StoredTestSet:
    """Strongly consistent. Raises: NotFound."""
    try:
        return StoredTestSet.load(ref.key)
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def get_test_set_version(ref: SetRef, version: int) -> StoredTestSetVersion:
    """Raises: NotFound."""
    try:
        return StoredTestSetVersion.load(ref.version_key(version))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("This test set has no version %(version)s.") % {"version": version}) from error


def list_test_set_versions(ref: SetRef, cursor: str | None = None) -> Page[StoredTestSetVersion]:
    """List the latest, newest first."""
    pk = table.TEST_SET_VERSION.partition_key(ref.site, project_id=ref.project_id, testset_id=ref.testset_id)
    return StoredTestSetVersion.page(pk, newest_first=True, consistent=True, cursor=cursor)


@lru_cache(maxsize=32)
def load_cases(ref: SetRef, sha256: str) -> tuple[Case, ...]:
    """Load the cases of a version, an immutable object. Raises: NotFound, Tampered."""
    name = files.testset(ref.project_id, ref.testset_id, sha256)
    return cases_from(SiteFiles(ref.site).read_pinned(name, sha256))


def load_answers(site: str, project_id: str, case: Case) -> KnownAnswers:
    """Load the known answers of a document.

    Raises:
        NotFound: the document was purged, and its answers with it.

    """
    try:
        body = DocumentFiles(site, project_id, case.document_id).read_pinned(files.truth(case.sha256), case.sha256)
    except Tampered as error:
        raise NotFound(
            gettext("The known answers of this document cannot be read. Add it to the test set again.")
        ) from error
    return answers_from(body)
