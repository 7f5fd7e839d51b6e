"""URLs of signing in and out, at the root and without a namespace: Django and ``LOGIN_URL`` know them by name."""

from django.contrib.auth import views
from django.urls import path

from projects.sign_in import SignInForm

_SIGN_IN = views.LoginView.as_view(redirect_authenticated_user=True, authentication_form=SignInForm)
urlpatterns = [
    path("login/", _SIGN_IN, name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
]
