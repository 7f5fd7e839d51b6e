"""Settings. Everything a deployment sets is read from the environment here; the rest is in ``constants``.

``COUNTERSIGN_ENV=laptop`` (the default) uses the embedded AWS and needs no settings; ``COUNTERSIGN_ENV=aws`` uses
AWS and refuses to start while a required setting is missing.
"""

import json
import os
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config.brokers import transport
from config.constants import *  # noqa: F403 - Django wants one module of settings
from config.constants import (
    LOG_LEVEL,
    MEASURE_SECONDS,
    QUESTION_DAYS,
    QUEUE_VISIBILITY_SECONDS,
    REVIEW_TIMEOUT_SECONDS,
    SWEEP_SECONDS,
)
from config.environment import (
    ON_LAPTOP,
    endpoint_variable,
    env,
    number_variable,
    oidc_groups,
    oidc_provider,
    own_secret,
    required_variable,
    server_variable,
    source_variable,
)
from config.framework import *  # noqa: F403 - as above; what is the same everywhere is in that one
from config.framework import BASE_DIR

# --- where we run ------------------------------------------------------------
WEB_PORT = number_variable("COUNTERSIGN_PORT", 8000)
STATE_DIR = Path(env("COUNTERSIGN_STATE_DIR", str(BASE_DIR / ".countersign")))
if ON_LAPTOP:
    SECRET_KEY = env("SECRET_KEY", "") or own_secret(STATE_DIR)
    ALLOWED_HOSTS = env("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1],testserver").split(",")
else:
    SECRET_KEY = required_variable("SECRET_KEY", "Django signs sessions with it; use 50 random characters.")
    ALLOWED_HOSTS = required_variable("ALLOWED_HOSTS", "the public host names, separated by commas.").split(",")
# Earlier keys, while they are replaced: what they signed and encrypted is still taken.
SECRET_KEY_FALLBACKS = [one for one in env("SECRET_KEY_FALLBACKS", "").split(",") if one]
# How others open the desk: the beginning of every address that leaves it, in mails, messages and the API.
_FIRST_HOST = next((host for host in ALLOWED_HOSTS if host[:1] not in {"", ".", "*"}), "")
_PUBLIC_URL = f"http://127.0.0.1:{WEB_PORT}" if ON_LAPTOP else _FIRST_HOST and f"https://{_FIRST_HOST}"
PUBLIC_URL = env("COUNTERSIGN_PUBLIC_URL", _PUBLIC_URL).rstrip("/")
CSRF_TRUSTED_ORIGINS = [origin for origin in env("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

# --- single sign-on ----------------------------------------------------------
# A provider of OpenID Connect. What its groups are called here is said group by group, so that it can give no other.
OIDC_URL = env("COUNTERSIGN_OIDC_URL", "")
OIDC_NAME = env("COUNTERSIGN_OIDC_NAME", "single sign-on")
OIDC_GROUPS_CLAIM = env("COUNTERSIGN_OIDC_GROUPS_CLAIM", "groups")
OIDC_GROUPS = oidc_groups("COUNTERSIGN_OIDC_GROUPS")
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = oidc_provider(
    OIDC_URL,
    name=OIDC_NAME,
    client_id=env("COUNTERSIGN_OIDC_CLIENT_ID", ""),
    secret=env("COUNTERSIGN_OIDC_CLIENT_SECRET", ""),
    scopes=env("COUNTERSIGN_OIDC_SCOPES", "openid profile email").split(),
)

# --- AWS ---------------------------------------------------------------------
AWS_REGION = env("AWS_REGION", env("AWS_DEFAULT_REGION", "eu-central-1"))
EMULATOR_PORT = number_variable("COUNTERSIGN_EMULATOR_PORT", 4566)
WEB_WORKERS = number_variable("COUNTERSIGN_WEB_WORKERS", 2)  # processes of the deployed web server
# Proxies before the web server that write X-Forwarded-For: whose address is counted when passwords are guessed.
TRUSTED_PROXIES = 0 if ON_LAPTOP else number_variable("COUNTERSIGN_TRUSTED_PROXIES", 1)
AWS_ENDPOINT_URL: str | None
if ON_LAPTOP:
    AWS_ENDPOINT_URL = env("AWS_ENDPOINT_URL", f"http://127.0.0.1:{EMULATOR_PORT}")
    # Twelve digits name an account of their own on the emulator; the real keys of this shell are never sent to it.
    AWS_ACCESS_KEY_ID: str | None = env("COUNTERSIGN_EMULATOR_ACCOUNT", "test")
    AWS_SECRET_ACCESS_KEY: str | None = "test"  # noqa: S105 - the emulator's fixed word, see docs/design.md
    AWS_ACCOUNT_ID = AWS_ACCESS_KEY_ID if str(AWS_ACCESS_KEY_ID).isdigit() else "000000000000"
else:
    AWS_ENDPOINT_URL = None
    AWS_ACCESS_KEY_ID = AWS_SECRET_ACCESS_KEY = None  # the role of the machine, through boto3's own chain
    AWS_ACCOUNT_ID = required_variable("AWS_ACCOUNT_ID", "the 12-digit ID of the AWS account.")
STACK = env("COUNTERSIGN_STACK", "countersign")
TABLE_NAME = STACK
VERSIONS_TABLE_NAME = f"{STACK}-versions"  # seed 002: what was, in the same keys
# Buckets are global: only the emulator's own account, which is no one else's, needs no number.
BUCKET_NAME = f"{STACK}-documents" if AWS_ACCOUNT_ID == "000000000000" else f"{STACK}-documents-{AWS_ACCOUNT_ID}"
BUS_NAME = STACK
EVENT_SOURCE = "countersign.documents"
STEPS_QUEUE = f"{STACK}-steps"  # machine work: minutes
SLICES_QUEUE = f"{STACK}-slices"  # of large documents: what is done in a step's own message never waits behind them
DESK_QUEUE = f"{STACK}-desk"  # decisions, reviews: milliseconds, so they never wait behind OCR
SWEEP_QUEUE = f"{STACK}-sweep"  # what looks after the rest waits for whatever does not answer, and no one for it
EVENTS_QUEUE = f"{STACK}-events"  # where other systems read what the desk tells; none of its workers does
EXPERIMENTS_QUEUE = f"{STACK}-experiments"  # a slow model has its workers for hours; no document waits for that
EXPERIMENT_LANES = 1 if ON_LAPTOP else 4  # documents of an experiment that are read at once: one for each worker
SEARCH_QUEUE = f"{STACK}-search"  # what the bus tells the search index; no one waits for it, and it waits for no one


def _queue_url(name: str) -> str:
    base = AWS_ENDPOINT_URL or f"https://sqs.{AWS_REGION}.amazonaws.com"
    return f"{base}/{AWS_ACCOUNT_ID}/{name}"


# What differs between environments in what bootstrap deploys; config/deploy/infrastructure/parameters.yaml says what
# each is.
STACK_PARAMETERS = {
    "IndexProjection": env("COUNTERSIGN_INDEX_PROJECTION", "INCLUDE"),
    "Protected": env("COUNTERSIGN_PROTECTED", "false" if ON_LAPTOP else "true"),
    "CustomerKey": env("COUNTERSIGN_CUSTOMER_KEY", "true"),
    "SendersTopicArn": env("COUNTERSIGN_SENDERS_TOPIC_ARN", ""),
    "DeployerArn": env("COUNTERSIGN_DEPLOYER_ARN", ""),
    "AlarmEmail": env("COUNTERSIGN_ALARM_EMAIL", ""),
    "FailedExecutions": "5",
    "StepsWaitSeconds": "900",
    "DeskWaitSeconds": "120",
    "DecisionWaitSeconds": "600",
    "LogDays": "30",
    "ColdDays": "30",
    "IncomingDays": "90",
    "EarlierArtifactDays": "7",
    "DebugDays": "14",
}
QUEUE_URLS = {
    name: _queue_url(name)
    for name in (STEPS_QUEUE, SLICES_QUEUE, DESK_QUEUE, SWEEP_QUEUE, EXPERIMENTS_QUEUE, SEARCH_QUEUE)
}
EVENTS_QUEUE_URL = _queue_url(EVENTS_QUEUE)

# --- what follows from the constants --------------------------------------------
# From its last save, and so past any deadline: a draft outlives its review, never the other way round.
REVIEW_DRAFT_SECONDS = REVIEW_TIMEOUT_SECONDS + 7 * 86_400
# Its files from when they came: it may be open for as long as a draft is kept, and they outlast its rows.
STACK_PARAMETERS["QuestionDays"] = str(QUESTION_DAYS + REVIEW_DRAFT_SECONDS // 86_400 + 2)
# Where page files of other systems' reviews may lie, site by site; without an entry a site takes text only.
INTAKE_SOURCES = source_variable("COUNTERSIGN_INTAKE_SOURCES")
# Webhooks: into one's own network only if someone says so, which is also what a test on this machine needs.
WEBHOOK_PRIVATE_ADDRESSES = env("COUNTERSIGN_WEBHOOK_PRIVATE_ADDRESSES", "0") == "1"

# --- outside services that do the work of a stage -----------------------------
# On AWS's own endpoints, on a laptop too: the embedded AWS has no Textract and invents Bedrock's answers.
PROVIDERS_REGION = env("COUNTERSIGN_PROVIDERS_REGION", AWS_REGION)
# Textract says there that a job has ended; the role lets it publish. Without them, jobs are polled only.
TEXTRACT_TOPIC_ARN = env("COUNTERSIGN_TEXTRACT_TOPIC_ARN", "")
TEXTRACT_ROLE_ARN = env("COUNTERSIGN_TEXTRACT_ROLE_ARN", "")
if bool(TEXTRACT_TOPIC_ARN) != bool(TEXTRACT_ROLE_ARN):
    raise ImproperlyConfigured("Set COUNTERSIGN_TEXTRACT_TOPIC_ARN and COUNTERSIGN_TEXTRACT_ROLE_ARN, or neither.")
# Newer models are called by a profile that spreads calls over the regions of a continent.
_CONTINENT = {"us": "us", "eu": "eu", "ap": "apac"}.get(PROVIDERS_REGION[:2], "us")
BEDROCK_MODEL = env("COUNTERSIGN_BEDROCK_MODEL", f"{_CONTINENT}.amazon.nova-lite-v1:0")  # is asked first
BEDROCK_STRONG_MODEL = env("COUNTERSIGN_BEDROCK_STRONG_MODEL", f"{_CONTINENT}.amazon.nova-pro-v1:0")
# Where else models are asked: endpoints that speak OpenAI's chat completions. The catalogue names one and no address.
MODEL_ENDPOINTS = endpoint_variable("COUNTERSIGN_MODEL_ENDPOINTS", "COUNTERSIGN_MODEL_KEY_")
# F1 in points of a hundred that a prompt may lose on held-back documents and still go into production without a reason.
PROMOTION_LOSS_PERCENT = number_variable("COUNTERSIGN_PROMOTION_LOSS_PERCENT", 1)
OPA_URL = server_variable("COUNTERSIGN_OPA_URL")  # a server that evaluates access policies in place of regopy
REVIEW_DAYS = int(env("COUNTERSIGN_REVIEW_DAYS", "0"))  # that closed reviews are kept; 0: for good
BDA_PROJECT_ARN, BDA_PROFILE_ARN = env("COUNTERSIGN_BDA_PROJECT_ARN", ""), env("COUNTERSIGN_BDA_PROFILE_ARN", "")
OCR_ENDPOINT_URL = env("COUNTERSIGN_OCR_ENDPOINT_URL", "")  # PaddleX's serving interface, over https
OCR_ENDPOINT_KEY = env("COUNTERSIGN_OCR_ENDPOINT_KEY", "")
OCR_ENDPOINTS = endpoint_variable("COUNTERSIGN_OCR_ENDPOINTS", "COUNTERSIGN_OCR_KEY_")  # further ones, by name
# What a service asks for, by service and model (* is any): USD a page, call, minute, or million tokens in or out.
# Examples: prices change and differ by region and contract. Yours go as JSON into the file that the variable names.
PRICES: dict[str, dict[str, dict[str, float]]] = {
    "textract": {"*": {"page": 0.07}},  # forms, tables and queries together; layout and signatures come with them
    "transcribe": {"*": {"minute": 0.024}},
    "bda": {"*": {"page": 0.01}},
    "bedrock": {
        "*nova-lite*": {"million_in": 0.06, "million_out": 0.24},
        "*nova-pro*": {"million_in": 0.8, "million_out": 3.2},
    },
} | json.loads(Path(env("COUNTERSIGN_PRICES_FILE", os.devnull)).read_text() or "{}")

# --- mail ----------------------------------------------------------------------
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", "countersign@localhost")
EMAIL_HOST = env("EMAIL_HOST", "")
EMAIL_PORT = number_variable("EMAIL_PORT", 587)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = env("EMAIL_HOST_USER", ""), env("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env("EMAIL_USE_TLS", "1") == "1"
EMAIL_TIMEOUT = 20
# Without a server a laptop's mails are files in its state folder, to be looked at and never sent.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST or not ON_LAPTOP else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = STATE_DIR / "mail"

# Whether who sent a document is told that it was rejected or failed: "mail" to the account's address, "sns" to a topic.
MAIL_LANGUAGE = env("COUNTERSIGN_LANGUAGE", "en")  # to addresses and channels; people read the one that they chose
if MAIL_LANGUAGE not in {"en", "de", "ja"}:
    raise ImproperlyConfigured(f"COUNTERSIGN_LANGUAGE is {MAIL_LANGUAGE!r}: use en, de or ja.")
TELL_SENDERS = env("COUNTERSIGN_TELL_SENDERS", "")
SENDERS_TOPIC_ARN = env("COUNTERSIGN_SENDERS_TOPIC_ARN", "")
TELL_SENDERS_WHY = env("COUNTERSIGN_TELL_SENDERS_WHY", "0") == "1"  # a reviewer's words may quote the document
if TELL_SENDERS not in {"", "mail", "sns"}:
    raise ImproperlyConfigured(f"COUNTERSIGN_TELL_SENDERS is {TELL_SENDERS!r}: use 'mail' or 'sns', or unset it.")
if TELL_SENDERS == "sns" and not SENDERS_TOPIC_ARN:
    raise ImproperlyConfigured("COUNTERSIGN_TELL_SENDERS is 'sns': set COUNTERSIGN_SENDERS_TOPIC_ARN to the topic.")

# --- the engine, and Celery on its broker ---------------------------------------
# Without an address: SQS. It may hold a password, so it has no default that anybody shows.
CELERY_BROKER_URL = env("COUNTERSIGN_BROKER_URL", "") or "sqs://"
BROKER = transport.broker_of(CELERY_BROKER_URL)
ENGINE = transport.check_engine(env("COUNTERSIGN_ENGINE", transport.STEP_FUNCTIONS), BROKER)
BROKER_PREFIX = env("COUNTERSIGN_BROKER_PREFIX", "")  # of the queues' names, where desks of one name share a broker
CELERY_TASK_QUEUES = transport.make_queues(BROKER, QUEUE_URLS, BROKER_PREFIX)
_SQS_OPTIONS: dict[str, Any] = {
    "region": AWS_REGION,
    # Named queues only: the worker never lists or creates any, which its role may not do either.
    "predefined_queues": {
        name: {"url": url, "access_key_id": AWS_ACCESS_KEY_ID, "secret_access_key": AWS_SECRET_ACCESS_KEY}
        if ON_LAPTOP
        else {"url": url}
        for name, url in QUEUE_URLS.items()
    },
    "visibility_timeout": QUEUE_VISIBILITY_SECONDS,
    "fetch_message_attributes": {"MessageSystemAttributeNames": ["SentTimestamp"]},  # beside kombu's own
    # botocore's own are 60 seconds five times, for which a page would wait that orders something.
    "client-config": {
        "connect_timeout": 3,
        "read_timeout": 7,
        "retries": {"mode": "standard", "total_max_attempts": 2},
    },
    "wait_time_seconds": 5,
    "polling_interval": 0.02,  # each delivery costs one; idle, the long poll waits
}
CELERY_BROKER_TRANSPORT_OPTIONS = transport.transport_options(
    BROKER, _SQS_OPTIONS, prefix=BROKER_PREFIX or f"{STACK}:", hidden_seconds=QUEUE_VISIBILITY_SECONDS
)
if ON_LAPTOP:
    # kombu's SQS transport has no endpoint option and boto3 reads this one variable; without it, it would call AWS.
    os.environ["AWS_ENDPOINT_URL"] = str(AWS_ENDPOINT_URL)
CELERY_TASK_DEFAULT_QUEUE = DESK_QUEUE
CELERY_TASK_ROUTES = {
    "workflows.tasks.run_step": {"queue": STEPS_QUEUE},
    "workflows.tasks.run_slice": {"queue": SLICES_QUEUE},
    "workflows.tasks.run_execution_step": {"queue": STEPS_QUEUE},
    "workflows.tasks.test_model": {"queue": STEPS_QUEUE},
    "workflows.tasks.send_again": {"queue": STEPS_QUEUE},
    "workflows.tasks.unpack": {"queue": STEPS_QUEUE},
    "workflows.tasks.finish_removal": {"queue": STEPS_QUEUE},  # a document of thousands of pages takes minutes
    "projects.tasks.refresh_folder": {"queue": STEPS_QUEUE},
    "projects.tasks.repoint_documents": {"queue": STEPS_QUEUE},
    "workflows.tasks.index_document": {"queue": SEARCH_QUEUE},
    "review.tasks.sweep": {"queue": SWEEP_QUEUE},
    "workflows.tasks.measure_desk": {"queue": SWEEP_QUEUE},
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
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "sweep": {
        "task": "review.tasks.sweep",
        "schedule": float(SWEEP_SECONDS),
        "options": {"expires": SWEEP_SECONDS * 3},
    },
    "measure": {
        "task": "workflows.tasks.measure_desk",
        "schedule": float(MEASURE_SECONDS),
        "options": {"expires": MEASURE_SECONDS},
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(STATE_DIR / "beat-schedule")

# --- Django ------------------------------------------------------------------
if ON_LAPTOP:
    _DATABASE_URL = env("DATABASE_URL", f"sqlite:///{STATE_DIR / 'countersign.sqlite3'}")
else:
    _DATABASE_URL = required_variable(
        "DATABASE_URL", "users and sessions are stored in PostgreSQL, shared by all web processes."
    )
DATABASES = {"default": dj_database_url.parse(_DATABASE_URL, conn_max_age=600, conn_health_checks=True)}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    STATE_DIR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20}
STATIC_ROOT = STATE_DIR / "static"

# --- safety in the browser ---------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not ON_LAPTOP
SECURE_SSL_REDIRECT = not ON_LAPTOP
SECURE_PROXY_SSL_HEADER = None if ON_LAPTOP else ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 0 if ON_LAPTOP else 365 * 86_400
SECURE_HSTS_INCLUDE_SUBDOMAINS = not ON_LAPTOP

# Error reports and traces, each if its address is set; see config/telemetry.py for what they may carry.
SENTRY_DSN = env("SENTRY_DSN", "")
OTEL_ENDPOINT = env("OTEL_EXPORTER_OTLP_ENDPOINT", "")
# CloudWatch takes them from the log, for some 30 dollars a month.
LOG_METRICS = env("COUNTERSIGN_LOG_METRICS", "0" if ON_LAPTOP else "1") == "1"
LOGGING_CONFIG = "config.logs.configure_logging"
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonFormatter"}},
    "filters": {"library": {"()": "config.logs.Library"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["library"]}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "celery.beat": {"level": "WARNING"},  # each sweep that it sends
        # Each comes with a handler of its own, which writes what it is given.
        "gunicorn.error": {"handlers": [], "propagate": True},
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True, "level": "WARNING"},
        # Each greets on the terminal of every command.
        "pikepdf": {"level": "WARNING"},
        "pynamodb": {"level": "WARNING"},
        # These write what they send and are sent; quiet at any level, since to make a record costs time.
        "botocore": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
