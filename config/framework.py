"""Django's apps, middleware and templates, the same in every environment; ``config.settings`` imports them."""

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

BASE_DIR = Path(__file__).resolve().parent.parent
INSTALLED_APPS = [
    "allauth",  # first: what its parts show in Django's admin, projects.admin takes away again
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "allauth.usersessions",
    "config",
    "projects",
    "workflows",
    "workflows.search",
    "review",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
]
MIDDLEWARE = [
    "projects.web.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "projects.web.access_log.AccessLogMiddleware",
    "projects.web.compression.CompressionMiddleware",
    "projects.web.policy.PolicyMiddleware",
    "projects.web.middleware.ProblemMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "projects.web.time_zone.TimeZoneMiddleware",
    "projects.web.language.LanguageMiddleware",
    "projects.web.middleware.SiteMiddleware",
    "projects.web.middleware.SignedInMiddleware",
    "projects.web.middleware.DomainErrorMiddleware",
    "projects.personal.gate.PersonalMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "config.rendering.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "projects.web.middleware.site_context",
                "review.notifications.bar.notification_context",
            ],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTHENTICATION_BACKENDS = ["projects.sites.access.RoleBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# allauth has the steps of signing in, second factors and sessions; tries are counted in the table, not in its cache,
# which each process has for itself.
ACCOUNT_ADAPTER = "projects.accounts.adapters.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = False
ACCOUNT_FORMS = {"reauthenticate": "projects.accounts.forms.ConfirmPasswordForm"}
SOCIALACCOUNT_ADAPTER = "projects.accounts.single_sign_on.SingleSignOnAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # the policy below lets no form lead to another origin
MFA_ADAPTER = "projects.accounts.adapters.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # an admin or the provider vouches for addresses here
MFA_TOTP_ISSUER = "Countersign"
MFA_TOTP_TOLERANCE = 1
MFA_RATE_LIMITS = False
MFA_FORMS = {
    "authenticate": "projects.accounts.forms.CodeForm",
    "reauthenticate": "projects.accounts.forms.ConfirmCodeForm",
}
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
LANGUAGE_CODE = "en"
# By their own names: who looks for theirs may read no other. Complete ones only (tests/docs/test_messages.py).
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ja", "日本語")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.static.SheetFinder",
]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "config.aws.DocumentStorage"},
    "staticfiles": {"BACKEND": "config.static.StaticStorage"},
}
# A chunk larger than this goes to a temporary file; no upload is held in memory.
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

# --- safety in the browser ---------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "media-src": [SELF],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SESSION_ENGINE = "projects.sites.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS = ["security.W021"]  # to be on the browsers' preload list is for a domain's owner to decide
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # asked within the network, without TLS
