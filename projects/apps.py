"""The projects app: creates the three roles after migrations, registers due work and access policies."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.apps import apps as installed
from django.db.models.signals import post_delete, post_migrate, post_save


def make_roles(using: str, apps: Any = installed, **_: Any) -> None:
    # After a migration rather than in one: a flush of a test database empties the groups, and this fills them again.
    # A flush names no apps of its own.
    try:
        group = apps.get_model("auth", "Group")
    except LookupError:
        return
    for name in ("admins", "reviewers", "viewers"):
        group.objects.using(using).get_or_create(name=name)


class ProjectsConfig(AppConfig):
    name = "projects"

    def ready(self) -> None:
        # What has models can be imported once the apps are ready.
        from projects.accounts import factors  # noqa: PLC0415

        import_module("projects.documents.due")
        import_module("projects.folders.due")
        import_module("projects.policies.gate")

        post_save.connect(factors.record_addition, sender="mfa.Authenticator", dispatch_uid="projects.factor_added")
        post_delete.connect(factors.record_removal, sender="mfa.Authenticator", dispatch_uid="projects.factor_removed")
        post_migrate.connect(make_roles, dispatch_uid="projects.make_roles")
