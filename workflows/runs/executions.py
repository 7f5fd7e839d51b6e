"""Names of a run's executions in Step Functions: known before they start, since we choose them."""

from django.conf import settings

from config.table import DEFAULT_SITE
from workflows.definitions.blueprint import Definition
from workflows.runs import engine_choice
from workflows.runs.items import Run


def arn(kind: str, name: str) -> str:
    return f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:{kind}:{name}"


def machine_name(definition: Definition) -> str:
    return f"{settings.STACK}-{definition.name}-v{definition.version}"


def execution_name(run: Run, attempt: int) -> str:
    """One machine serves every site, so the site is in the name: two sites may hold a run of the same id.

    >>> execution_name(Run("acme", "p", "d", "01H"), 2), execution_name(Run("default", "p", "d", "01H"), 2)
    ('acme-01H-2', '01H-2')
    """
    head = "" if run.site == DEFAULT_SITE else f"{run.site}-"
    return f"{head}{run.workflow_id}-{attempt}"


def execution_arn(definition: Definition, run: Run, attempt: int) -> str:
    """No second write is needed to remember it."""
    return arn("execution", f"{machine_name(definition)}:{execution_name(run, attempt)}")


def choose_execution_arn(definition: Definition, run: Run, attempt: int) -> str:
    """Of an attempt that begins now; empty if messages drive it."""
    return "" if engine_choice.choose_engine() else execution_arn(definition, run, attempt)
