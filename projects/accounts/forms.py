"""Forms for codes and password confirmation; each attempt is counted in the table."""

from allauth.account.forms import ReauthenticateForm
from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ConfirmForm
from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from config.errors import Conflict, TooManyTries
from projects.sites import sign_in
from projects.sites.sign_in import CODE, PASSWORD, Attempt


class _CountedCode(BaseAuthenticateForm):  # type: ignore[misc]  # ships no types
    wait = 0  # seconds, where it was tried too often

    def clean_code(self) -> str:
        attempt = Attempt(CODE, self.user.get_username(), sign_in.client_network(context.request))
        number = _take_try(self, attempt)
        try:
            code: str = super().clean_code()
            if self.authenticator.type == Authenticator.Type.TOTP:
                sign_in.spend_code(self.user, code)
        except (ValidationError, Conflict) as error:
            sign_in.record_failure(attempt, number)
            raise ValidationError(gettext("Incorrect code. Wait for the next one, or use a recovery code.")) from error
        sign_in.give_back(attempt)
        return code


class CodeForm(_CountedCode, AuthenticateForm):  # type: ignore[misc]  # as above
    """The second step of signing in."""


class ConfirmCodeForm(_CountedCode, ConfirmForm):  # type: ignore[misc]  # as above
    """Asked before a change to the account's security."""


class ConfirmPasswordForm(ReauthenticateForm):  # type: ignore[misc]  # as above
    """The same with a password."""

    wait = 0

    def clean_password(self) -> str:
        attempt = Attempt(PASSWORD, self.user.get_username(), sign_in.client_network(context.request))
        number = _take_try(self, attempt)
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            sign_in.record_failure(attempt, number)
            raise ValidationError(gettext("Your password is incorrect."))
        sign_in.give_back(attempt)
        return password


def _take_try(form: _CountedCode | ConfirmPasswordForm, attempt: Attempt) -> int:
    """Count an attempt. Raises: ValidationError, with the time to wait."""
    try:
        return sign_in.take_try(attempt)
    except TooManyTries as error:
        form.wait = error.seconds
        raise ValidationError(str(error), code="throttled") from error
