"""Who may do what: three roles by Django group, and the first line of every view.

``can_X`` answers, ``check_can_X`` raises; templates use the first through ``may``.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group, User
from django.db.models import Exists, OuterRef

from config.errors import NotAllowed
from projects import queries
from projects.http import DeskRequest
from projects.items.project import Project

ADMINS, REVIEWERS, VIEWERS = ROLES = ("admins", "reviewers", "viewers")
Person = AbstractBaseUser | AnonymousUser


@dataclass(frozen=True)
class Abilities:
    """What templates ask: a button is shown by the same rule that the view enforces."""

    role: str
    view: bool
    upload: bool
    review: bool
    configure: bool


NOTHING = Abilities("", view=False, upload=False, review=False, configure=False)


class RoleBackend(ModelBackend):
    """Loads a user with the roles in the same statement: a page makes no SQL beyond session and user."""

    def get_user(self, user_id: Any) -> User | None:
        mine = Group.objects.filter(user=OuterRef("pk"))
        flags = {f"in_{role}": Exists(mine.filter(name=role)) for role in ROLES}
        user: User | None = User.objects.annotate(**flags).filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None


def role_of(user: Person) -> str:
    """The strongest role, or an empty text: nobody has a role by signing in alone."""
    if not isinstance(user, User) or not user.is_active:
        return ""
    if user.is_superuser:
        return ADMINS
    if hasattr(user, f"in_{ADMINS}"):
        held = {role for role in ROLES if getattr(user, f"in_{role}")}
    else:
        held = set(user.groups.values_list("name", flat=True))
    return next((role for role in ROLES if role in held), "")


def abilities(user: Person) -> Abilities:
    role = role_of(user)
    works = role in {ADMINS, REVIEWERS}
    return Abilities(role, view=bool(role), upload=works, review=works, configure=role == ADMINS)


def can_view(user: Person) -> bool:
    return abilities(user).view


def can_upload(user: Person) -> bool:
    return abilities(user).upload


def can_review(user: Person) -> bool:
    return abilities(user).review


def can_configure(user: Person) -> bool:
    return abilities(user).configure


def check_can_view(user: Person) -> None:
    """Raises: NotAllowed."""
    if not can_view(user):
        raise NotAllowed("You are signed in, and have no role here yet. An admin gives you one under Users.")


def check_can_upload(user: Person) -> None:
    """Raises: NotAllowed."""
    if not can_upload(user):
        raise NotAllowed("You may look at documents here, not add any. Uploading needs the role reviewer or admin.")


def check_can_review(user: Person) -> None:
    """Raises: NotAllowed."""
    if not can_review(user):
        raise NotAllowed("You may look at reviews here, not decide them. Deciding needs the role reviewer or admin.")


def check_can_configure(user: Person) -> None:
    """Raises: NotAllowed."""
    if not can_configure(user):
        raise NotAllowed("You may look at projects here, not change their settings. That needs the role admin.")


def project_to_view(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check_can_view(request.user)
    return queries.projects.get_project(request.site, project_id)


def project_to_upload(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check_can_upload(request.user)
    return queries.projects.get_project(request.site, project_id)


def project_to_configure(request: DeskRequest, project_id: str) -> Project:
    """Raises: NotAllowed, NotFound."""
    check_can_configure(request.user)
    return queries.projects.get_project(request.site, project_id)
