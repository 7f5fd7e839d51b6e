"""Names of a run's executions in Step Functions, which we choose, so that they are known in advance."""

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
    """All sites share a machine, so the name contains the site: run ids may repeat across sites.

    >>> execution_name(Run("acme", "p", "d", "01H"), 2), execution_name(Run("default", "p", "d", "01H"), 2)
    ('acme-01H-2', '01H-2')
    """
    head = "" if run.site == DEFAULT_SITE else f"{run.site}-"
    return f"{head}{run.workflow_id}-{attempt}"


def execution_arn(definition: Definition, run: Run, attempt: int) -> str:
    """Derived, so that it need not be stored."""
    return arn("execution", f"{machine_name(definition)}:{execution_name(run, attempt)}")


def choose_execution_arn(definition: Definition, run: Run, attempt: int) -> str:
    """Return the ARN for an attempt that begins now; empty if messages drive it."""
    return "" if engine_choice.choose_engine() else execution_arn(definition, run, attempt)
