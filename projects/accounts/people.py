"""The people of a site, for its admins. Each change is recorded or not made.

Accounts and groups belong to the deployment, sites are tenants: an admin may only make changes that affect no other
site.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.sites import access, directory, sign_in
from projects.sites import queries as site_queries
from projects.sites.permissions import DEFAULTS, Permission, default_permissions
from projects.web.http import DeskRequest

PAGE_ROWS = 100
ACTIVE, INVITED, DEACTIVATED = Phrase("Active"), Phrase("Invited"), Phrase("Deactivated")
_CHANGED = Phrase("Another admin changed this account. Nothing was saved; reload it and try again.")


@dataclass(frozen=True)
class Person:
    id: int
    name: str
    username: str
    email: str
    state: str
    groups: tuple[str, ...]  # of this site


def list_people(groups: Sequence[str], after: str) -> tuple[list[Person], str | None]:
    """Return members of the site's ``groups`` by username, a page at a time: two SQL statements."""
    found = User.objects.filter(groups__name__in=groups, username__gt=after).distinct().order_by("username")
    rows = list(found.prefetch_related("groups")[: PAGE_ROWS + 1])
    people = [_person(one, groups) for one in rows[:PAGE_ROWS]]
    return people, people[-1].username if len(rows) > PAGE_ROWS else None


def count_people(site: str) -> int:
    """Count the members of the site's groups: one SQL statement and one Query."""
    return User.objects.filter(groups__name__in=site_groups(site)).distinct().count()


def get_person(site: str, user_id: int) -> tuple[User, Person]:
    """Raises: NotFound, also for people of other sites."""
    names = site_groups(site)
    user = User.objects.filter(pk=user_id, groups__name__in=names).distinct().first()
    if user is None:
        raise NotFound(gettext("Person not found. They may have been removed from this site."))
    return user, _person(user, names)


def _person(user: User, names: Iterable[str]) -> Person:
    state = ACTIVE if user.is_active else DEACTIVATED
    if user.is_active and user.last_login is None and not user.has_usable_password():
        state = INVITED
    mine = sorted({one.name for one in user.groups.all()} & set(names))
    return Person(user.pk, user.get_full_name() or user.get_username(), user.username, user.email, state, tuple(mine))


def site_groups(site: str) -> list[str]:
    """Return the groups with permissions on the site, by name."""
    rows = set(site_queries.group_names(site)) | (set(DEFAULTS) if site == DEFAULT_SITE else set())
    return sorted(one for one in rows if directory.get_permissions(site, [one]))


def is_governed(request: DeskRequest, group: str) -> bool:
    """Return whether this admin administers every site where the group has permissions."""
    if request.user.is_superuser:
        return True
    if Group.objects.filter(name=group, permissions__isnull=False).exists():  # of Django's own admin
        return False
    held = {str(row.siteId): row.held for row in site_queries.sites_of_group(group)}
    held.setdefault(DEFAULT_SITE, default_permissions(DEFAULT_SITE, group))
    mine = access.groups_of(request)
    return all(Permission.ADMIN in directory.get_permissions(site, mine) for site, may in held.items() if may)


def groups_to_give(request: DeskRequest, groups: Sequence[str]) -> list[str]:
    """Return those of the site's ``groups`` that this admin may give: a Query for each, none for a superuser."""
    return [one for one in groups if is_governed(request, one)]


def check_can_change(request: DeskRequest, user: User) -> None:
    """Raises: Refused."""
    if user.pk == request.user.pk:
        raise Refused(gettext("You cannot change your own account here. Ask another admin."))
    if (user.is_superuser or user.is_staff) and not request.user.is_superuser:
        raise Refused(gettext("This account manages the deployment. Ask a superuser to change it."))


def check_can_deactivate(request: DeskRequest, user: User) -> None:
    """Raises: Refused."""
    check_can_change(request, user)
    if not all(is_governed(request, one) for one in user.groups.values_list("name", flat=True)):
        raise Refused(gettext("This account is also used on other sites. Remove its groups on this site instead."))


def invite(site: str, *, email: str, first_name: str, last_name: str, groups: Sequence[str], by: Actor) -> User:
    """Create an account without a password; the mailed link sets it.

    Raises: Conflict: an account with this address exists, here or on another site.
    """
    email = email.lower()
    if User.objects.filter(Q(email__iexact=email) | Q(username__iexact=email)).exists():
        raise Conflict(
            gettext("An account with this address already exists. Ask an admin of the main site to add it here.")
        )
    try:
        with transaction.atomic():
            user = User(username=email, email=email, first_name=first_name, last_name=last_name)
            user.set_unusable_password()
            user.save()
            user.groups.set(Group.objects.get_or_create(name=one)[0] for one in groups)
            sign_in.record_account(user, "invited", by=by, changes={"groups": sorted(groups)}, site=site)
    except IntegrityError as error:
        raise Conflict(gettext("Another admin has just invited this address.")) from error
    return user


def set_groups(
    site: str, user: User, *, shown: Iterable[str], chosen: Iterable[str], may: Iterable[str], by: Actor
) -> None:
    """Set exactly the chosen groups among those the admin ``may`` assign; others stay.

    Raises: Conflict: the person's groups have changed since they were shown.
    """
    allowed = set(may)
    with transaction.atomic():
        row = User.objects.select_for_update().get(pk=user.pk)
        before = set(row.groups.values_list("name", flat=True))
        if before & allowed != set(shown) & allowed:
            raise Conflict(_CHANGED)
        after = before - allowed | set(chosen) & allowed
        if after == before:
            return
        row.groups.remove(*Group.objects.filter(name__in=before - after))
        row.groups.add(*(Group.objects.get_or_create(name=one)[0] for one in sorted(after - before)))
        changes = {"groups": {"before": sorted(before & allowed), "after": sorted(after & allowed)}}
        sign_in.record_account(row, "updated", by=by, changes=changes, site=site)


def set_active(site: str, user: User, *, active: bool, by: Actor) -> None:
    """Activate or deactivate an account. Deactivation ends its sessions and takes effect with the next request.

    Raises: Conflict: another admin was first.
    """
    with transaction.atomic():
        if not User.objects.filter(pk=user.pk, is_active=not active).update(is_active=active):
            raise Conflict(_CHANGED)
        if not active:
            for session in UserSession.objects.filter(user=user):
                session.end()
        changes = {"is_active": {"before": not active, "after": active}}
        sign_in.record_account(user, "updated", by=by, changes=changes, site=site)
