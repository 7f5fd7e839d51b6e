"""The API of webhooks: list deliveries, and send a test."""

from typing import Any

from ninja import Router, Schema

from config.errors import ActionFailed, NotFound, Unavailable
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, with_example
from workflows.publish import webhooks
from workflows.publish.items import WebhookDelivery
from workflows.routing import pinned_rules
from workflows.routing.views import list_webhooks

router = Router(tags=["webhooks"])


class DeliveryShape(Schema):
    """``status``: of the answer, null if none came. ``id``: the same for each attempt of one delivery."""

    id: str
    url: str
    type: str
    status: int | None
    message: str
    seconds: float
    document_id: str | None
    run_id: str | None
    at: str


class DeliveryList(Schema):
    items: list[DeliveryShape]
    next: str | None


class WebhookTest(Body):
    """``url``: of a webhook that an active rule of the site calls."""

    model_config = with_example(url="https://erp.example.org/hooks/countersign")

    url: str


class TestedShape(Schema):
    """``status``: null if no answer came; ``message`` says why."""

    ok: bool
    message: str


@router.get(
    "/deliveries", response={200: DeliveryList, **FAILURES}, operation_id="list_deliveries", summary="List deliveries"
)
def list_deliveries(request: ApiRequest, after: str | None = None) -> DeliveryList:
    """Webhook calls of the last 30 days, newest first. Requires a person's token with GOVERN."""
    access.check_can_govern(request)
    page = webhooks.list_deliveries(request.site, cursor=after)
    return DeliveryList(items=list(map(_shape, page.rows)), next=page.next)


@router.post("/test", response={200: TestedShape, **FAILURES}, operation_id="test_webhook", summary="Test a webhook")
def test_webhook(request: ApiRequest, wish: WebhookTest) -> Any:
    """Sends a signed event `webhook.test`. Requires a person's token with GOVERN."""
    access.check_can_govern(request)
    known = (list_webhooks(one.effect) for one in pinned_rules.current_rules(request.site).rules)
    if not any(wish.url in urls for urls in known):
        raise NotFound("No rule calls this webhook. Add it to a rule first.")
    try:
        status = webhooks.send_test(request.site, wish.url)
    except (ActionFailed, Unavailable) as error:
        return TestedShape(ok=False, message=str(error))
    return TestedShape(ok=True, message=f"The receiver returned {status}.")


def _shape(row: WebhookDelivery) -> DeliveryShape:
    return DeliveryShape(
        id=row.delivery_id,
        url=row.url,
        type=row.kind,
        status=None if row.status is None else int(row.status),
        message=row.message,
        seconds=float(row.seconds),
        document_id=row.document_id,
        run_id=row.workflow_id,
        at=row.created_at,
    )
