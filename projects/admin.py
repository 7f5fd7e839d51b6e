"""Django admin for users and groups, with audit events.

Table items are edited on the desk's pages, never here. The audit event is written in the transaction of the change, so
a change that cannot be recorded is not made.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from projects.audit.events import actor_of
from projects.sites import sign_in

admin.site.site_header = "Countersign: administration"
admin.site.site_title = "Countersign"
admin.site.index_title = "Administration"
admin.site.site_url = "/"
ALLAUTH = {"account", "socialaccount", "mfa", "usersessions"}
_FLAGS = ("username", "first_name", "last_name", "email", "is_active", "is_staff", "is_superuser")


def _user_facts(user: User) -> dict[str, Any]:
    facts = {name: getattr(user, name) for name in _FLAGS}
    rights = sorted(user.user_permissions.values_list("codename", flat=True))
    return facts | {"groups": sorted(user.groups.values_list("name", flat=True)), "permissions": rights}


def _group_facts(group: Group) -> dict[str, Any]:
    return {"name": group.name, "permissions": sorted(group.permissions.values_list("codename", flat=True))}


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: {"before": before[name], "after": after[name]} for name in after if before[name] != after[name]}
    return {name: "changed" if name == "email" else change for name, change in found.items()}  # no address is kept


class _Recorded(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Records changes: Django's log hook runs after a change; ``save_model`` sees the state before it."""

    def facts(self, obj: Any) -> dict[str, Any]:
        raise NotImplementedError

    def record(self, request: HttpRequest, obj: Any, told: str, changes: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        before = self.facts(type(obj).objects.get(pk=obj.pk)) if change else {}
        request.facts_before = before  # type: ignore[attr-defined]  # read when Django tells its log
        super().save_model(request, obj, form, change)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.record(request, obj, "created", self.facts(obj))
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        before = getattr(request, "facts_before", None)
        if before is None:  # the form for someone's password saves without save_model
            self.record(request, obj, "updated", {"password": "set by an admin"})
        elif changes := _differences(before, self.facts(obj)):
            self.record(request, obj, "updated", changes)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: "QuerySet[Model]") -> Any:
        for obj in queryset:
            self.record(request, obj, "deleted", {})
        return super().log_deletions(request, queryset)


for model in [one for one in admin.site._registry if one._meta.app_label in ALLAUTH]:
    admin.site.unregister(model)  # secrets and sessions, which people manage on their own pages
admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class RecordedUserAdmin(_Recorded, UserAdmin):  # type: ignore[type-arg]  # as above
    def facts(self, obj: User) -> dict[str, Any]:
        return _user_facts(obj)

    def record(self, request: HttpRequest, obj: User, told: str, changes: Mapping[str, Any]) -> None:
        sign_in.record_account(obj, told, by=actor_of(request.user), changes=changes)  # type: ignore[arg-type]


@admin.register(Group)
class RecordedGroupAdmin(_Recorded, GroupAdmin):
    def facts(self, obj: Group) -> dict[str, Any]:
        return _group_facts(obj)

    def record(self, request: HttpRequest, obj: Group, told: str, changes: Mapping[str, Any]) -> None:
        sign_in.record_group(obj, told, by=actor_of(request.user), changes=changes)  # type: ignore[arg-type]
