"""The API of accounts: one's own account, with personal tokens, and requests for access, for admins."""

from ninja import Router, Schema

from config.errors import NotAllowed, Refused
from projects.accounts.access_requests import list_requests
from projects.accounts.preferences import PreferencesForm, find_preferences, save_preferences
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, with_example

router = Router(tags=["account"])


class AccountShape(Schema):
    """``language`` and ``time_zone``: empty for the browser's. ``permissions``: what this token may do on its site."""

    id: str
    name: str
    site: str
    permissions: list[str]
    language: str
    time_zone: str


class AccessRequestShape(Schema):
    """``wanted``: what the person wants to do. ``note``: their message to the admins."""

    user_id: str
    name: str
    wanted: str
    note: str
    asked_at: str


class AccountWish(Body):
    """Omitted entries stay."""

    model_config = with_example(language="de", time_zone="Europe/Berlin")

    language: str | None = None
    time_zone: str | None = None


@router.get("/account", response={200: AccountShape, **FAILURES}, operation_id="show_account", summary="Get my account")
def show_account(request: ApiRequest) -> AccountShape:
    """The account of the person whose token this is. Requires READ."""
    access.check_can_view(request)
    return _shape(request, _person(request))


@router.patch(
    "/account", response={200: AccountShape, **FAILURES}, operation_id="change_account", summary="Change my account"
)
def change_account(request: ApiRequest, wish: AccountWish) -> AccountShape:
    """Other sessions use a new language or time zone from their next sign-in. Requires READ."""
    access.check_can_view(request)
    person = _person(request)
    code, zone = find_preferences(person)
    chosen = {
        "language": code if wish.language is None else wish.language,
        "time_zone": zone if wish.time_zone is None else wish.time_zone,
    }
    form = PreferencesForm(chosen)
    if "language" in form.errors:
        raise Refused("There is no such language. Send en, de or ja.", field="language")
    if not form.is_valid():
        raise Refused("There is no such time zone. Send one such as Europe/Berlin.", field="time_zone")
    save_preferences(person, form.cleaned_data["language"], form.cleaned_data["time_zone"])
    return _shape(request, person)


@router.get(
    "/access-requests",
    response={200: list[AccessRequestShape], **FAILURES},
    operation_id="list_access_requests",
    summary="List access requests",
)
def list_access_requests(request: ApiRequest) -> list[AccessRequestShape]:
    """Open requests of people who want access to the site. Admins answer them on the page. Requires ADMIN."""
    access.check_can_configure(request)
    return [
        AccessRequestShape(
            user_id=str(one.user.pk), name=one.name, wanted=one.wanted, note=one.note, asked_at=one.asked_at
        )
        for one in list_requests(request.site)
    ]


def _person(request: ApiRequest) -> str:
    """Raises: NotAllowed."""
    if not request.auth.person_id:
        raise NotAllowed("An API key has no account. Use a personal API token.")
    return str(request.auth.person_id)


def _shape(request: ApiRequest, person: str) -> AccountShape:
    code, zone = find_preferences(person)
    return AccountShape(
        id=person,
        name=request.auth.actor.name,
        site=request.site,
        permissions=sorted(access.permissions_of(request)),
        language=code,
        time_zone=zone,
    )
