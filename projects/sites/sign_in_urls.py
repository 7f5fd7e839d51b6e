"""URLs of sign-in, at the root and without a namespace, since Django reverses them by name.

The Django admin's sign-in is replaced here: same form, limits and audit.
"""

from django.urls import path
from django.views.generic import RedirectView

from projects.sites import sign_in

urlpatterns = [
    path("login/", sign_in.SignInView.as_view(), name="login"),
    path("logout/", sign_in.SignOutView.as_view(), name="logout"),
    path("account/password/", sign_in.ChangePasswordView.as_view(), name="change-password"),
    path("sites/", sign_in.choose_site, name="choose-site"),
    path("admin/login/", sign_in.AdminSignInView.as_view(), name="admin-login"),
    path("admin/logout/", sign_in.SignOutView.as_view(), name="admin-logout"),
    path("admin/password_change/", RedirectView.as_view(pattern_name="change-password"), name="admin-password"),
]
