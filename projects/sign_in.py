"""Signing in, in the desk's own words."""

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView

from config.errors import Unavailable
from config.table import DEFAULT_SITE
from projects import access


class SignInForm(AuthenticationForm):
    # The same sentence whichever was wrong: which names exist is nobody's to find out here.
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": "That name and password do not match. Capitals count in both.",
        "inactive": "That name and password do not match. Capitals count in both.",
    }


class SignInView(LoginView):
    """Leads to the page that was asked for, else to a site that the person can open."""

    redirect_authenticated_user = True
    authentication_form = SignInForm

    def get_default_redirect_url(self) -> str:
        try:
            places = access.places_of(self.request)
        except Unavailable:  # the page says so itself
            return access.home(DEFAULT_SITE)
        here = str(self.request.site)
        ids = [one.site_id for one in places]
        return access.home(here if here in ids or not ids else ids[0])
