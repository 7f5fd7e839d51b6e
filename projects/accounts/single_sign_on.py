"""Sign-in by OpenID Connect: matching accounts, and groups controlled by the provider."""

import logging
from collections.abc import Mapping
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext

from config.phrase import Phrase
from projects.audit.events import Actor
from projects.sites import sign_in

log = logging.getLogger(__name__)
PROVIDER = Actor("oidc", Phrase("Single sign-on"))
_TAKEN = Phrase("An account with your email address already exists. Sign in with its password or ask an admin.")
_MISMATCH = Phrase("The provider named two different people. Try again, and tell an admin if it happens again.")


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # ships no types
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:  # noqa: ARG002 - allauth's
        return True

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the account. Raises: ImmediateHttpResponse, a redirect with the reason."""
        told = sociallogin.account.extra_data
        if {"userinfo", "id_token"} <= told.keys() and told["userinfo"].get("sub") != told["id_token"].get("sub"):
            raise _refusal(request, _MISMATCH)
        if not sociallogin.is_existing:
            self._connect_by_mail(request, sociallogin)
        if sociallogin.is_existing and sociallogin.user.is_active:
            set_groups(sociallogin.user, claimed_groups(told))

    def _connect_by_mail(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Connect by verified address, except to superusers, whose rights no provider may grant."""
        for address in sociallogin.email_addresses:
            users = list(User.objects.filter(email__iexact=address.email)[:2])
            if not users:
                continue
            mine = users[0]
            if len(users) > 1 or not address.verified or mine.is_superuser or mine.is_staff:
                raise _refusal(request, _TAKEN)
            sociallogin.connect(request, mine)
            return

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        with transaction.atomic():  # recorded, or not made
            user: User = super().save_user(request, sociallogin, form)
            sign_in.record_account(user, "created", by=PROVIDER, changes={})
            set_groups(user, claimed_groups(sociallogin.account.extra_data))
        return user

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,  # noqa: ARG002 - as above
        error: object = None,  # noqa: ARG002 - the provider's own words
        exception: Exception | None = None,
        **_: Any,
    ) -> None:
        log.warning("single sign-on failed", extra={"error": type(exception).__name__ if exception else "refused"})
        raise _refusal(
            request,
            gettext("%(oidc_name)s did not sign you in. Try again or ask an admin.")
            % {"oidc_name": settings.OIDC_NAME},
        )


def _refusal(request: HttpRequest, words: str) -> ImmediateHttpResponse:
    messages.error(request, words)
    return ImmediateHttpResponse(HttpResponseRedirect(resolve_url(settings.LOGIN_URL)))


def claimed_groups(told: Mapping[str, Any]) -> frozenset[str]:
    """Return groups from the provider's claim, which may be in either the ID token or the user info.

    A missing claim means no groups: the provider has withdrawn them.
    """
    named: set[str] = set()
    for answer in (told.get("userinfo"), told.get("id_token"), told):
        claim = (answer or {}).get(settings.OIDC_GROUPS_CLAIM, ())
        named.update([claim] if isinstance(claim, str) else [one for one in claim if isinstance(one, str)])
    return frozenset(here for there, here in settings.OIDC_GROUPS.items() if there in named)


def set_groups(user: User, claimed: frozenset[str]) -> None:
    """Set exactly these among the mapped groups; other groups are managed by admins and stay."""
    mapped = frozenset(settings.OIDC_GROUPS.values())
    with transaction.atomic():
        row = User.objects.select_for_update().get(pk=user.pk)
        before = set(row.groups.values_list("name", flat=True))
        after = before - mapped | claimed
        if after == before:
            return
        row.groups.remove(*Group.objects.filter(name__in=before - after))
        row.groups.add(*(Group.objects.get_or_create(name=one)[0] for one in sorted(after - before)))
        changes = {"groups": {"before": sorted(before), "after": sorted(after)}}
        sign_in.record_account(row, "updated", by=PROVIDER, changes=changes)
