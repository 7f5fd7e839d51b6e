"""Every URL of the desk; each app keeps its own."""

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

from projects.sign_in import SignInForm

urlpatterns = [
    path(
        "login/",
        auth_views.LoginView.as_view(redirect_authenticated_user=True, authentication_form=SignInForm),
        name="login",
    ),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("projects/", include("projects.urls")),
    path("settings/queues/", include("projects.queue_urls")),
    path("settings/", include("projects.settings_urls")),
    path("review/", include("review.urls")),
    path("", include("workflows.urls")),  # the overview, /workflows/ and the health endpoints
]
