"""Permission checks by Django group, called in the first line of every view.

``can_X`` returns a bool, ``check_can_X`` raises; templates use the first through ``may``. A group's permissions are
rows of its site; on the default site, the initial groups have defaults without rows (``permissions.DEFAULTS``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from config.errors import CountersignError, NotAllowed, NotFound
from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.queues import queries as queue_queries
from projects.queues.items import Queue, queue_of_admission
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import directory
from projects.sites.directory import Place
from projects.sites.permissions import EVERYTHING, NOTHING, Permission
from projects.web.http import DeskRequest

SITE_PATH = "/s/"
_SWITCHER_LIMIT = 50
_REFUSALS = {
    Permission.READ: Phrase("You have no role on this site yet. Ask a site admin to give your group access."),
    Permission.WRITE: Phrase(
        "You can view documents but not add or change them. Ask an admin for the write permission."
    ),
    Permission.REVIEW: Phrase("You can view reviews but not decide them. Ask an admin for the review permission."),
    Permission.DELETE: Phrase("You can view documents but not delete them. Ask an admin for the delete permission."),
    Permission.GOVERN: Phrase("You cannot change schemas, rules or queues. Ask an admin for the govern permission."),
    Permission.PROMOTE: Phrase("You cannot put prompts into production. Ask an admin for the promote permission."),
    Permission.PERSONAL: Phrase("This shows personal data. Ask an admin for the permission to see personal data."),
    Permission.EXPORT: Phrase("You can view results but not export them. Ask an admin for the export permission."),
    Permission.ADMIN: Phrase("You can view projects but not change settings. Ask an admin for the admin permission."),
}


@dataclass(frozen=True)
class Abilities:
    """Permission checks for templates: a button is shown by the same rule that the view enforces."""

    role: str = ""
    view: bool = False
    upload: bool = False
    review: bool = False
    delete: bool = False
    govern: bool = False
    promote: bool = False
    personal: bool = False
    export: bool = False
    configure: bool = False
    set_up: bool = False


NO_ABILITIES = Abilities()


# Django would build this statement for each page, which takes longer than running it. Dates are deferred: they are
# fetched on access.
_COLUMNS = ("id", "password", "is_superuser", "username", "first_name", "last_name", "email", "is_staff", "is_active")
_FLAGS = ("is_superuser", "is_staff", "is_active")  # integers in SQLite
_USER = """
    SELECT g.name,
        u.id, u.password, u.is_superuser, u.username, u.first_name, u.last_name, u.email, u.is_staff, u.is_active
    FROM auth_user u
    LEFT JOIN auth_user_groups m ON m.user_id = u.id
    LEFT JOIN auth_group g ON g.id = m.group_id
    WHERE u.id = %s
"""


class RoleBackend(ModelBackend):
    """Loads a user with groups in one statement at each request, so that deactivation takes effect at once."""

    def get_user(self, user_id: Any) -> User | None:
        with connection.cursor() as cursor:
            cursor.execute(_USER, [user_id])
            rows = cursor.fetchall()  # one row for each group
        if not rows:
            return None
        found = dict(zip(_COLUMNS, rows[0][1:], strict=True))
        flags = {name: bool(found[name]) for name in _FLAGS}
        # in the order of the model's fields
        user = User.from_db(connection.alias, _COLUMNS, list((found | flags).values()))
        if not self.user_can_authenticate(user):
            return None
        user.group_names = frozenset(row[0] for row in rows if row[0])  # type: ignore[attr-defined]
        return user


def groups_of(request: HttpRequest) -> frozenset[str]:
    """Return the names of the person's Django groups; empty if not signed in, disabled, or an API key."""
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    if not hasattr(user, "group_names"):  # signed in by this request
        user.group_names = frozenset(user.groups.values_list("name", flat=True))  # type: ignore[attr-defined]
    names: frozenset[str] = user.group_names  # type: ignore[attr-defined]
    return names


def permissions_on(request: HttpRequest, site: str) -> frozenset[Permission]:
    """Return the person's permissions on a site: none on a closed one, all on others for a superuser."""
    user = request.user
    if not user.is_authenticated or not user.is_active or not directory.is_open(site):
        return NOTHING
    return EVERYTHING if user.is_superuser else directory.get_permissions(site, groups_of(request))


def permissions_of(request: HttpRequest) -> frozenset[Permission]:
    """Return the permissions of the person or API key on the request's site; cached by request."""
    if not hasattr(request, "permissions"):
        request.permissions = permissions_on(request, _site(request))  # type: ignore[attr-defined]
    held: frozenset[Permission] = request.permissions  # type: ignore[attr-defined]
    return held


def _site(request: HttpRequest) -> str:
    site: str = request.site  # type: ignore[assignment]  # as in DeskRequest
    return site


def places_of(request: HttpRequest) -> Sequence[Place]:
    """Return the sites that the person can open, for the switcher."""
    user = request.user
    if not user.is_authenticated or not user.is_active:
        return ()
    if user.is_superuser:
        return directory.every_place(_SWITCHER_LIMIT)
    return directory.places_of(groups_of(request), _SWITCHER_LIMIT)


@dataclass(frozen=True)
class WayOut:
    """The target of an error page's button; an empty ``url`` means sign-out only."""

    url: str = ""
    words: str = Phrase("Sign out")


def way_out(request: HttpRequest) -> WayOut:
    """Return a page that this person may see: of their current site, of their only other one, or the site list."""
    try:
        if can(request, Permission.READ):
            return WayOut(home(_site(request)), Phrase("Go to overview"))
        places = places_of(request)
    except CountersignError:  # the error page itself is being rendered
        return WayOut(home(DEFAULT_SITE), Phrase("Go to overview"))
    if len(places) == 1:
        return WayOut(home(places[0].site_id), Phrase("Go to %(title)s").fill(title=places[0].title))
    return WayOut(reverse("choose-site"), Phrase("Select a site")) if places else WayOut()


def home(site: str) -> str:
    """Return the first page of a site, whatever the current site."""
    return "/" if site == DEFAULT_SITE else f"{SITE_PATH}{site}/"


def abilities(request: HttpRequest) -> Abilities:
    held = permissions_of(request)
    role = next((word for permission, word in _ROLE_WORDS if permission in held), "")
    return Abilities(
        role,
        view=Permission.READ in held,
        upload=Permission.WRITE in held,
        review=Permission.REVIEW in held,
        delete=Permission.DELETE in held,
        govern=Permission.GOVERN in held,
        promote=Permission.PROMOTE in held,
        personal=Permission.PERSONAL in held,
        export=Permission.EXPORT in held,
        configure=Permission.ADMIN in held,
        set_up=can_set_up(request),
    )


_ROLE_WORDS = (
    (Permission.ADMIN, Phrase("Admin")),
    (Permission.GOVERN, Phrase("Schema manager")),
    (Permission.PROMOTE, Phrase("Prompt approver")),
    (Permission.REVIEW, Phrase("Reviewer")),
    (Permission.WRITE, Phrase("Contributor")),
    (Permission.READ, Phrase("Viewer")),
)


def can(request: HttpRequest, permission: Permission) -> bool:
    return permission in permissions_of(request)


Also = Callable[[HttpRequest, Permission], None]
_ALSO: list[Also] = []


def beside_permissions(asked: Also) -> Also:
    """Register a function that every permission check calls too; it raises to deny."""
    _ALSO.append(asked)
    return asked


def check(request: HttpRequest, permission: Permission) -> None:
    """Raises: NotAllowed; NotFound for a document that an access policy hides."""
    request.asked = permission  # type: ignore[attr-defined]  # read by ``asked_of``
    if not can(request, permission):
        raise NotAllowed(_REFUSALS[permission])
    for one in _ALSO:
        one(request, permission)


def asked_of(request: HttpRequest) -> Permission:
    """Return the permission that the view checked last."""
    asked: Permission = getattr(request, "asked", Permission.READ)
    return asked


def find_missing(request: HttpRequest) -> Permission | None:
    """Return the permission whose lack made this request fail."""
    asked = asked_of(request)
    return None if can(request, asked) else asked


def can_review(request: HttpRequest) -> bool:
    return can(request, Permission.REVIEW)


def can_delete(request: HttpRequest) -> bool:
    return can(request, Permission.DELETE)


def can_upload(request: HttpRequest) -> bool:
    return can(request, Permission.WRITE)


def can_govern(request: HttpRequest) -> bool:
    return can(request, Permission.GOVERN)


def can_see_personal(request: HttpRequest) -> bool:
    return can(request, Permission.PERSONAL)


def check_can_see_personal(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.PERSONAL)


def check_can_view(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.READ)


def check_can_upload(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.WRITE)


def check_can_review(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.REVIEW)


def check_can_delete(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.DELETE)


def check_can_govern(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.GOVERN)


def check_can_configure(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    check(request, Permission.ADMIN)


def can_set_up(request: HttpRequest) -> bool:
    """Return True if the person may change anything under Settings."""
    return not permissions_of(request).isdisjoint({Permission.ADMIN, Permission.GOVERN})


def check_can_set_up(request: HttpRequest) -> None:
    """Raises: NotAllowed."""
    if not can_set_up(request):
        check_can_configure(request)


def check_can_manage_sites(request: DeskRequest) -> None:
    """Only admins of the default site, on that site, can create and close sites.

    Raises: NotAllowed, NotFound.
    """
    if request.site != DEFAULT_SITE:
        raise NotFound(gettext("Manage sites from the main site."))
    check_can_configure(request)


def project_to_view(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check_can_view(request)
    return project_queries.get_project(request.site, project_id)


def project_to_upload(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check_can_upload(request)
    return project_queries.get_project(request.site, project_id)


def project_to_configure(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check_can_configure(request)
    return project_queries.get_project(request.site, project_id)


def project_to_export(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check(request, Permission.EXPORT)
    return project_queries.get_project(request.site, project_id)


def project_to_promote(request: DeskRequest, project_id: str) -> Project:
    """Return a project whose prompts this person may put into production. Raises: NotAllowed, NotFound."""
    check(request, Permission.PROMOTE)
    return project_queries.get_project(request.site, project_id)


def project_with_prompts(request: DeskRequest, project_id: str) -> Project:
    """Return a project whose prompts this person may read, edit or promote. Raises: NotAllowed, NotFound."""
    if not can(request, Permission.PROMOTE):
        check_can_configure(request)
    return project_queries.get_project(request.site, project_id)


def is_admitted(request: HttpRequest, queue: Queue) -> bool:
    """A queue without groups admits everyone, and every queue admits superusers."""
    return not queue.groups or request.user.is_superuser or bool(groups_of(request) & set(queue.groups))


def check_admitted(request: DeskRequest, queue_id: str) -> Queue | None:
    """Return the queue if it admits this person; an empty id is the site's own queue, open to all.

    Strongly consistent at each request, so that removing a group takes effect at once.

    Raises:
        NotFound: there is none, or it is closed to the person, which is not revealed.

    """
    admitting = queue_of_admission(queue_id)
    if not admitting:
        return None
    queue = queue_queries.get_queue(request.site, admitting)
    if not is_admitted(request, queue):
        raise NotFound(queue_queries.MISSING)
    return queue
