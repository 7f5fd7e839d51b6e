"""URLs of signing in and out, at the root and without a namespace: Django and ``LOGIN_URL`` know them by name."""

from django.contrib.auth import views
from django.urls import path

from projects.sign_in import SignInView

urlpatterns = [
    path("login/", SignInView.as_view(), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
]
