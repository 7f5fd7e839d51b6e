"""URLs of accounts, at the root and without a namespace, since allauth reverses them by name.

Views that change second factors run in one transaction with their audit event.
"""

from allauth.account.views import reauthenticate
from allauth.mfa.base import views as factor_views
from allauth.mfa.recovery_codes import views as code_views
from allauth.mfa.totp import views as totp_views
from allauth.mfa.webauthn import views as passkey_views
from allauth.socialaccount.providers.openid_connect import views as provider_views
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.urls import path
from django.views.generic import RedirectView

from projects.accounts import access_views, preferences, views
from projects.sites import sign_in

urlpatterns = [
    path("login/", sign_in.SignInView.as_view(), name="account_login"),  # the same page by the name that allauth uses
    path("login/code/", views.CodeView.as_view(), name="mfa_authenticate"),
    path("login/passkey/", login_not_required(passkey_views.login_webauthn), name="mfa_login_webauthn"),
    path("login/forgotten/", views.ResetView.as_view(), name="reset-password"),
    path("login/new-password/<uidb64>/<token>/", views.SetPasswordView.as_view(), name="set-password"),
    path("login/cancelled/", views.leave_provider, name="socialaccount_login_cancelled"),
    path("login/unfinished/", views.leave_provider, name="socialaccount_signup"),
    path("oidc/<str:provider_id>/login/", provider_views.login, name="openid_connect_login"),
    path("oidc/<str:provider_id>/login/callback/", provider_views.callback, name="openid_connect_callback"),
    path("account/confirm/", reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code/", factor_views.reauthenticate, name="mfa_reauthenticate"),
    path("account/confirm/passkey/", passkey_views.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("account/sessions/", views.list_sessions, name="list-sessions"),
    path("account/sessions/end/", views.end_sessions, name="end-sessions"),
    path("account/access/", access_views.ask_for_access, name="ask-for-access"),
    path("account/preferences/", preferences.choose_preferences, name="choose-preferences"),
    path("account/security/", factor_views.index, name="mfa_index"),
    path("account/security/app/", transaction.atomic(totp_views.activate_totp), name="mfa_activate_totp"),
    path("account/security/app/remove/", transaction.atomic(totp_views.deactivate_totp), name="mfa_deactivate_totp"),
    path("account/security/codes/", code_views.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "account/security/codes/new/",
        transaction.atomic(code_views.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("account/security/passkeys/", RedirectView.as_view(pattern_name="mfa_index"), name="mfa_list_webauthn"),
    path("account/security/passkeys/add/", transaction.atomic(passkey_views.add_webauthn), name="mfa_add_webauthn"),
    path("account/security/passkeys/<int:pk>/", passkey_views.edit_webauthn, name="mfa_edit_webauthn"),
    path(
        "account/security/passkeys/<int:pk>/remove/",
        transaction.atomic(passkey_views.remove_webauthn),
        name="mfa_remove_webauthn",
    ),
]
