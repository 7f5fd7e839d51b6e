"""All settings, read from the environment in this one place.

``COUNTERSIGN_ENV=laptop`` (the default) runs on the embedded AWS and needs nothing set; ``COUNTERSIGN_ENV=aws``
runs on the real one and refuses to start while something it needs is missing.
"""

import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def env(name: str, default: str) -> str:
    return os.environ.get(name) or default


def required(name: str, what: str) -> str:
    """Raises: ImproperlyConfigured, with what the variable is for."""
    value = os.environ.get(name)
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set: {what} Set it in the environment of this process, or leave COUNTERSIGN_ENV unset "
            "to run on the embedded AWS of a laptop."
        )
    return value


def number(name: str, default: int) -> int:
    """Raises: ImproperlyConfigured, naming the variable, where it is no whole number above zero."""
    text = env(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise ImproperlyConfigured(f"{name} is {text!r}: write a whole number above zero, or unset it for {default}.")
    return int(text)


# --- where we run ------------------------------------------------------------
ENVIRONMENT = env("COUNTERSIGN_ENV", "laptop")
if ENVIRONMENT not in {"laptop", "aws"}:
    raise ImproperlyConfigured(f"COUNTERSIGN_ENV is {ENVIRONMENT!r}: write 'laptop' or 'aws'.")
ON_LAPTOP = ENVIRONMENT == "laptop"
DEBUG = env("COUNTERSIGN_DEBUG", "0") == "1"
STATE_DIR = Path(env("COUNTERSIGN_STATE_DIR", str(BASE_DIR / ".countersign")))


def _laptop_secret() -> str:
    """A secret of this machine's own, so that no secret lives in the tree and sessions survive a restart."""
    path = STATE_DIR / "secret-key"
    if not path.exists():
        STATE_DIR.mkdir(parents=True, exist_ok=True)
        # Opened exclusively: two processes that start at once must agree on one key.
        try:
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(os.urandom(32).hex())
        except FileExistsError:
            pass
    return path.read_text() or os.urandom(32).hex()


if ON_LAPTOP:
    SECRET_KEY = os.environ.get("SECRET_KEY") or _laptop_secret()
    ALLOWED_HOSTS = env("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1],testserver").split(",")
else:
    SECRET_KEY = required("SECRET_KEY", "Django signs sessions with it; make one of 50 random characters.")
    ALLOWED_HOSTS = required("ALLOWED_HOSTS", "the host names people open, with commas between.").split(",")
CSRF_TRUSTED_ORIGINS = [origin for origin in env("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

# --- AWS ---------------------------------------------------------------------
AWS_REGION = env("AWS_REGION", env("AWS_DEFAULT_REGION", "eu-central-1"))
EMULATOR_PORT = number("COUNTERSIGN_EMULATOR_PORT", 4566)
WEB_PORT = number("COUNTERSIGN_PORT", 8000)  # of the demo's web server
AWS_ENDPOINT_URL: str | None
if ON_LAPTOP:
    AWS_ENDPOINT_URL = env("AWS_ENDPOINT_URL", f"http://127.0.0.1:{EMULATOR_PORT}")
    # Twelve digits name an account of their own on the emulator; the real keys of this shell are never sent to it.
    AWS_ACCESS_KEY_ID: str | None = env("COUNTERSIGN_EMULATOR_ACCOUNT", "test")
    AWS_SECRET_ACCESS_KEY: str | None = "test"  # noqa: S105 - the emulator's fixed word, see docs/architecture.md
    AWS_ACCOUNT_ID = AWS_ACCESS_KEY_ID if str(AWS_ACCESS_KEY_ID).isdigit() else "000000000000"
else:
    AWS_ENDPOINT_URL = None
    AWS_ACCESS_KEY_ID = AWS_SECRET_ACCESS_KEY = None  # the role of the machine, through boto3's own chain
    AWS_ACCOUNT_ID = required("AWS_ACCOUNT_ID", "the 12 digits of the account that the stack lives in.")
STACK = env("COUNTERSIGN_STACK", "countersign")
TABLE_NAME = STACK
VERSIONS_TABLE_NAME = f"{STACK}-versions"  # seed 002: what was, in the same keys
BUCKET_NAME = env("COUNTERSIGN_BUCKET", f"{STACK}-documents" if ON_LAPTOP else f"{STACK}-documents-{AWS_ACCOUNT_ID}")
BUS_NAME = STACK
EVENT_SOURCE = "countersign.documents"
STEPS_QUEUE = f"{STACK}-steps"  # machine work: minutes
DESK_QUEUE = f"{STACK}-desk"  # decisions, reviews, sweeps: milliseconds, so they never wait behind OCR


def _queue_url(name: str) -> str:
    base = AWS_ENDPOINT_URL or f"https://sqs.{AWS_REGION}.amazonaws.com"
    return f"{base}/{AWS_ACCOUNT_ID}/{name}"


QUEUE_URLS = {name: _queue_url(name) for name in (STEPS_QUEUE, DESK_QUEUE)}

# --- how the desk behaves ----------------------------------------------------
UPLOAD_MAX_BYTES = number("COUNTERSIGN_UPLOAD_MAX_BYTES", 500 * 1024 * 1024)
UPLOAD_MAX_PAGES = number("COUNTERSIGN_UPLOAD_MAX_PAGES", 30_000)
# What comes out of one mail or archive, all that is packed in it again included.
UNPACK_MAX_FILES = number("COUNTERSIGN_UNPACK_MAX_FILES", 200)
UNPACK_MAX_BYTES = number("COUNTERSIGN_UNPACK_MAX_BYTES", UPLOAD_MAX_BYTES)
UNPACK_MAX_DEPTH = number("COUNTERSIGN_UNPACK_MAX_DEPTH", 3)  # a mail in an archive in a mail
STEP_TIMEOUT_SECONDS = number("COUNTERSIGN_STEP_TIMEOUT_SECONDS", 3600)  # of one machine step in the state machine
STEP_LEASE_SECONDS = number("COUNTERSIGN_STEP_LEASE_SECONDS", 60)  # a worker's claim on a step, renewed by heartbeats
QUEUE_VISIBILITY_SECONDS = number("COUNTERSIGN_QUEUE_VISIBILITY_SECONDS", 120)
REVIEW_TIMEOUT_SECONDS = number("COUNTERSIGN_REVIEW_TIMEOUT_SECONDS", 7 * 86_400)  # seed 001: seven days
# Between the last moment to decide and the machine's own timeout: undo window, queue and one sweep fit into it.
REVIEW_MARGIN_SECONDS = number("COUNTERSIGN_REVIEW_MARGIN_SECONDS", 120)
REVIEW_LEASE_SECONDS = number("COUNTERSIGN_REVIEW_LEASE_SECONDS", 15 * 60)
# From its last save, and so past any deadline: a draft outlives its review, never the other way round.
REVIEW_DRAFT_SECONDS = REVIEW_TIMEOUT_SECONDS + 7 * 86_400
REVIEW_UNDO_SECONDS = number("COUNTERSIGN_REVIEW_UNDO_SECONDS", 8)
REPAIR_AFTER_SECONDS = number("COUNTERSIGN_REPAIR_AFTER_SECONDS", 30)  # then what should have moved is driven on
# How often a run's engine execution is looked up. The emulator forgets its executions at a restart; AWS does not.
RUN_CHECK_SECONDS = number("COUNTERSIGN_RUN_CHECK_SECONDS", 30 if ON_LAPTOP else 900)
# A person who opens a document again within this time has looked at it once.
VIEW_ACTIVITY_SECONDS = number("COUNTERSIGN_VIEW_ACTIVITY_SECONDS", 10 * 60)
SWEEP_SECONDS = number("COUNTERSIGN_SWEEP_SECONDS", 10)
DUE_SHARDS = number("COUNTERSIGN_DUE_SHARDS", 1)
# How long a process trusts what it read of sites and permissions: one that is taken away holds so long at most.
ACCESS_SECONDS = number("COUNTERSIGN_ACCESS_SECONDS", 5)
PAGE_SIZE = 25
# Webhooks: into one's own network only where somebody says so, which is also what a test on this machine needs.
WEBHOOK_PRIVATE_ADDRESSES = env("COUNTERSIGN_WEBHOOK_PRIVATE_ADDRESSES", "0") == "1"
ACTION_ATTEMPTS = number("COUNTERSIGN_ACTION_ATTEMPTS", 6)  # then a person looks at it
ACTION_RETRY_SECONDS = number("COUNTERSIGN_ACTION_RETRY_SECONDS", 30)  # fourfold each time: 30 s, 2 min, … 2 h
WEBHOOK_TIMEOUT_SECONDS = number("COUNTERSIGN_WEBHOOK_TIMEOUT_SECONDS", 10)

# --- mail ----------------------------------------------------------------------
PUBLIC_URL = env("COUNTERSIGN_PUBLIC_URL", "http://127.0.0.1:8000" if ON_LAPTOP else "").rstrip("/")  # in mails
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", "countersign@localhost")
EMAIL_HOST = env("EMAIL_HOST", "")
EMAIL_PORT = number("EMAIL_PORT", 587)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = env("EMAIL_HOST_USER", ""), env("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env("EMAIL_USE_TLS", "1") == "1"
EMAIL_TIMEOUT = 20
# Without a server a laptop's mails are files in its state folder, to be looked at and never sent.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST or not ON_LAPTOP else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = STATE_DIR / "mail"

# --- Celery on SQS -----------------------------------------------------------
CELERY_BROKER_URL = "sqs://"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
    "region": AWS_REGION,
    # Named queues only: the worker never lists or creates any, which its role may not do either.
    "predefined_queues": {
        name: {"url": url, "access_key_id": AWS_ACCESS_KEY_ID, "secret_access_key": AWS_SECRET_ACCESS_KEY}
        if ON_LAPTOP
        else {"url": url}
        for name, url in QUEUE_URLS.items()
    },
    "visibility_timeout": QUEUE_VISIBILITY_SECONDS,
    "wait_time_seconds": 5,
    "polling_interval": 0.02,  # each delivery costs one; idle, the long poll waits
}
if ON_LAPTOP:
    # kombu's SQS transport has no endpoint option and boto3 reads this one variable; without it, it would call AWS.
    os.environ["AWS_ENDPOINT_URL"] = str(AWS_ENDPOINT_URL)
CELERY_TASK_DEFAULT_QUEUE = DESK_QUEUE
CELERY_TASK_ROUTES = {
    "workflows.tasks.run_step": {"queue": STEPS_QUEUE},
    "workflows.tasks.unpack": {"queue": STEPS_QUEUE},
    "workflows.tasks.finish_removal": {"queue": STEPS_QUEUE},  # a document of thousands of pages takes minutes
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # it would create queues
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_ENABLE_UTC = True
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "review.tasks.sweep",
        "schedule": float(SWEEP_SECONDS),
        "options": {"expires": SWEEP_SECONDS * 3},
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(STATE_DIR / "beat-schedule")

# --- Django ------------------------------------------------------------------
INSTALLED_APPS = [
    "config",
    "projects",
    "workflows",
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
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "projects.middleware.ProblemMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "projects.middleware.SiteMiddleware",
    "projects.middleware.SignedInMiddleware",
    "projects.middleware.DomainErrorMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "projects.middleware.site_context",
            ],
        },
    }
]
DATABASES = {
    "default": dj_database_url.parse(
        env("DATABASE_URL", f"sqlite:///{STATE_DIR / 'countersign.sqlite3'}"), conn_max_age=600, conn_health_checks=True
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    STATE_DIR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTHENTICATION_BACKENDS = ["projects.access.RoleBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
LANGUAGE_CODE = "en"
USE_I18N = False  # every text is English: no page looks translations up
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
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
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not ON_LAPTOP
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = not ON_LAPTOP
SECURE_PROXY_SSL_HEADER = None if ON_LAPTOP else ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 0 if ON_LAPTOP else 365 * 86_400
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
X_FRAME_OPTIONS = "DENY"

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": env("COUNTERSIGN_LOG_LEVEL", "INFO")},
    # Request bodies and results are never logged; these two would log task arguments and AWS payloads.
    "loggers": {
        "botocore": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "django.server": {"level": "WARNING"},
        # Each greets on the terminal of every command.
        "pikepdf": {"level": "WARNING"},
        "pynamodb": {"level": "WARNING"},
    },
}
