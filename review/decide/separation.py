"""Who may not decide a review because it is about their own work, as the site's policy says."""

from collections.abc import Mapping, Sequence

from projects.documents.queries import list_versions
from projects.sites import directory
from projects.sites.separation import Separation
from review.status import Bar
from workflows.definitions import versions
from workflows.definitions.blueprint import StepDefinition
from workflows.runs.items import Run


def find_barred(run: Run, definition: str, step: StepDefinition, judges: Sequence[str] = ()) -> Mapping[str, str]:
    """User id → why: whoever uploaded one of the document's latest versions, or is among ``judges``.

    ``judges``: who decided earlier in the run. One Query more where the policy holds.
    """
    if not _is_separated(run.site, definition):
        return dict.fromkeys(judges, Bar.DECIDED.value) if step.another else {}
    uploaded = {row.userId: Bar.UPLOADED.value for row in list_versions(run.site, run.document_id).rows}
    return uploaded | dict.fromkeys(judges, Bar.DECIDED.value)


def _is_separated(site: str, definition: str) -> bool:
    found = directory.get_site(site)
    policy = Separation(found.separation) if found and found.separation else Separation.FOUR_EYES
    if policy == Separation.FOUR_EYES:
        return any(one.another for one in versions.find_definition(definition).steps)
    return policy == Separation.ALWAYS
