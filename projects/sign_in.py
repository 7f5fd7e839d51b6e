"""Signing in, in the desk's own words."""

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    # The same sentence whichever was wrong: which names exist is nobody's to find out here.
    error_messages = {  # noqa: RUF012 - as Django declares it
        "invalid_login": "That name and password do not match. Capitals count in both.",
        "inactive": "That name and password do not match. Capitals count in both.",
    }
