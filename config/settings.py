"""All settings, read from the environment in this one place.

``COUNTERSIGN_ENV=laptop`` (the default) runs on the embedded AWS and needs nothing set; ``COUNTERSIGN_ENV=aws``
runs on the real one and refuses to start while something it needs is missing.
"""

import json
import os
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config.brokers import transport
from config.environment import env, number, own_secret, required, sources
from config.framework import *  # noqa: F403 - Django wants one module; what is the same everywhere is in that one
from config.framework import BASE_DIR

# --- where we run ------------------------------------------------------------
ENVIRONMENT = env("COUNTERSIGN_ENV", "laptop")
if ENVIRONMENT not in {"laptop", "aws"}:
    raise ImproperlyConfigured(f"COUNTERSIGN_ENV is {ENVIRONMENT!r}: use 'laptop' or 'aws'.")
ON_LAPTOP = ENVIRONMENT == "laptop"
DEBUG = env("COUNTERSIGN_DEBUG", "0") == "1"
WEB_PORT = number("COUNTERSIGN_PORT", 8000)
STATE_DIR = Path(env("COUNTERSIGN_STATE_DIR", str(BASE_DIR / ".countersign")))
if ON_LAPTOP:
    SECRET_KEY = env("SECRET_KEY", "") or own_secret(STATE_DIR)
    ALLOWED_HOSTS = env("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1],testserver").split(",")
else:
    SECRET_KEY = required("SECRET_KEY", "Django signs sessions with it; use 50 random characters.")
    ALLOWED_HOSTS = required("ALLOWED_HOSTS", "the public host names, separated by commas.").split(",")
# How others open the desk: the beginning of every address that leaves it, in mails, messages and the API.
_FIRST_HOST = next((host for host in ALLOWED_HOSTS if host[:1] not in {"", ".", "*"}), "")
_PUBLIC_URL = f"http://127.0.0.1:{WEB_PORT}" if ON_LAPTOP else _FIRST_HOST and f"https://{_FIRST_HOST}"
PUBLIC_URL = env("COUNTERSIGN_PUBLIC_URL", _PUBLIC_URL).rstrip("/")
CSRF_TRUSTED_ORIGINS = [origin for origin in env("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

# --- AWS ---------------------------------------------------------------------
AWS_REGION = env("AWS_REGION", env("AWS_DEFAULT_REGION", "eu-central-1"))
EMULATOR_PORT = number("COUNTERSIGN_EMULATOR_PORT", 4566)
WEB_WORKERS = number("COUNTERSIGN_WEB_WORKERS", 2)  # processes of the deployed web server, and threads of each
WEB_THREADS = number("COUNTERSIGN_WEB_THREADS", 8)
# Proxies before the web server that write X-Forwarded-For: whose address is counted when passwords are guessed.
TRUSTED_PROXIES = 0 if ON_LAPTOP else number("COUNTERSIGN_TRUSTED_PROXIES", 1)
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
    AWS_ACCOUNT_ID = required("AWS_ACCOUNT_ID", "the 12-digit ID of the AWS account.")
STACK = env("COUNTERSIGN_STACK", "countersign")
TABLE_NAME = STACK
VERSIONS_TABLE_NAME = f"{STACK}-versions"  # seed 002: what was, in the same keys
BUCKET_NAME = env("COUNTERSIGN_BUCKET", f"{STACK}-documents" if ON_LAPTOP else f"{STACK}-documents-{AWS_ACCOUNT_ID}")
BUS_NAME = STACK
EVENT_SOURCE = "countersign.documents"
STEPS_QUEUE = f"{STACK}-steps"  # machine work: minutes
SLICES_QUEUE = f"{STACK}-slices"  # of large documents: what is done in a step's own message never waits behind them
DESK_QUEUE = f"{STACK}-desk"  # decisions, reviews: milliseconds, so they never wait behind OCR
SWEEP_QUEUE = f"{STACK}-sweep"  # what looks after the rest waits for whatever does not answer, and nobody for it
EVENTS_QUEUE = f"{STACK}-events"  # where other systems read what the desk tells; none of its workers does
SEARCH_QUEUE = f"{STACK}-search"  # what the bus tells the search index; nobody waits for it, and it waits for nobody


def _queue_url(name: str) -> str:
    base = AWS_ENDPOINT_URL or f"https://sqs.{AWS_REGION}.amazonaws.com"
    return f"{base}/{AWS_ACCOUNT_ID}/{name}"


# What differs between environments in what bootstrap deploys; config/deploy/infrastructure/parameters.yaml says what
# each is.
STACK_PARAMETERS = {
    "Protected": env("COUNTERSIGN_PROTECTED", "false" if ON_LAPTOP else "true"),
    "CustomerKey": env("COUNTERSIGN_CUSTOMER_KEY", "true"),
    "SendersTopicArn": env("COUNTERSIGN_SENDERS_TOPIC_ARN", ""),
    "DeployerArn": env("COUNTERSIGN_DEPLOYER_ARN", ""),
    "AlarmEmail": env("COUNTERSIGN_ALARM_EMAIL", ""),
    "FailedExecutions": str(number("COUNTERSIGN_ALARM_FAILED_EXECUTIONS", 5)),
    "StepsWaitSeconds": str(number("COUNTERSIGN_ALARM_STEPS_WAIT_SECONDS", 900)),
    "DeskWaitSeconds": str(number("COUNTERSIGN_ALARM_DESK_WAIT_SECONDS", 120)),
    "DecisionWaitSeconds": str(number("COUNTERSIGN_ALARM_DECISION_WAIT_SECONDS", 600)),
    "LogDays": str(number("COUNTERSIGN_LOG_DAYS", 30)),
    "ColdDays": str(number("COUNTERSIGN_COLD_DAYS", 30)),
    "IncomingDays": str(number("COUNTERSIGN_INCOMING_DAYS", 90)),
    "EarlierArtifactDays": str(number("COUNTERSIGN_EARLIER_ARTIFACT_DAYS", 7)),
    "DebugDays": str(number("COUNTERSIGN_DEBUG_DAYS", 14)),
}
QUEUE_URLS = {name: _queue_url(name) for name in (STEPS_QUEUE, SLICES_QUEUE, DESK_QUEUE, SWEEP_QUEUE, SEARCH_QUEUE)}
EVENTS_QUEUE_URL = _queue_url(EVENTS_QUEUE)

# --- how the desk behaves ----------------------------------------------------
UPLOAD_MAX_BYTES = number("COUNTERSIGN_UPLOAD_MAX_BYTES", 500 * 1024 * 1024)
UPLOAD_MAX_PAGES = number("COUNTERSIGN_UPLOAD_MAX_PAGES", 30_000)
# What comes out of one mail or archive, all that is packed in it again included.
UNPACK_MAX_FILES = number("COUNTERSIGN_UNPACK_MAX_FILES", 200)
UNPACK_MAX_BYTES = number("COUNTERSIGN_UNPACK_MAX_BYTES", UPLOAD_MAX_BYTES)
UNPACK_MAX_DEPTH = number("COUNTERSIGN_UNPACK_MAX_DEPTH", 3)  # a mail in an archive in a mail
WORKER_ATTEMPTS = number("COUNTERSIGN_WORKER_ATTEMPTS", 10)  # a file that ended so many workers is given up
STEP_TIMEOUT_SECONDS = number("COUNTERSIGN_STEP_TIMEOUT_SECONDS", 3600)  # of one machine step in the state machine
LONG_STEP_TIMEOUT_SECONDS = number("COUNTERSIGN_LONG_STEP_TIMEOUT_SECONDS", 86_400)  # from the second version on
STEP_LEASE_SECONDS = number("COUNTERSIGN_STEP_LEASE_SECONDS", 60)  # a worker's claim on a step, renewed by heartbeats
# How many slices of one run wait or are worked on at a time, where its site and project have slots for so many: each
# that is done sends the next, so that a document of thousands of pages never fills the queue before others.
SLICES_IN_FLIGHT = number("COUNTERSIGN_SLICES_IN_FLIGHT", 8)
# What a site and a project may have under way at a time, of slices and of a batch's runs each, unless an admin says
# otherwise. Their large documents share the ones fairly, their batches the others.
SITE_SLOTS = number("COUNTERSIGN_SITE_SLOTS", 40)
PROJECT_SLOTS = number("COUNTERSIGN_PROJECT_SLOTS", 20)
# A run that begins while its site has more documents in progress stands aside: its steps are done by the workers of
# slices, so that other sites' single pages wait for none of them. An admin's slots of site and project count before it.
BUSY_RUNS = number("COUNTERSIGN_BUSY_RUNS", 20)
# Steps of a document of more pages are done by the workers of slices, so that no single page waits for one of them.
LARGE_PAGES = number("COUNTERSIGN_LARGE_PAGES", 20)
# A fan-out that made no progress for so long is sent again: longer than a slice and its redelivery take.
JOIN_CHECK_SECONDS = number("COUNTERSIGN_JOIN_CHECK_SECONDS", 300)
JOIN_KEPT_SECONDS = number("COUNTERSIGN_JOIN_KEPT_SECONDS", 30 * 86_400)  # once nothing is under way any more
QUEUE_VISIBILITY_SECONDS = number("COUNTERSIGN_QUEUE_VISIBILITY_SECONDS", 120)
REVIEW_TIMEOUT_SECONDS = number("COUNTERSIGN_REVIEW_TIMEOUT_SECONDS", 7 * 86_400)  # seed 001: seven days
# Between the last moment to decide and the machine's own timeout: undo window, queue and one sweep fit into it.
REVIEW_MARGIN_SECONDS = number("COUNTERSIGN_REVIEW_MARGIN_SECONDS", 120)
# So long before the last moment to decide a review is escalated; of a short one, in its last quarter.
REVIEW_ESCALATE_SECONDS = number("COUNTERSIGN_REVIEW_ESCALATE_SECONDS", 86_400)
REVIEW_LEASE_SECONDS = number("COUNTERSIGN_REVIEW_LEASE_SECONDS", 15 * 60)
# From its last save, and so past any deadline: a draft outlives its review, never the other way round.
REVIEW_DRAFT_SECONDS = REVIEW_TIMEOUT_SECONDS + 7 * 86_400
QUESTION_DAYS = number("COUNTERSIGN_QUESTION_DAYS", 90)  # of another system, from its answer or its end
# Its files from when they came: it may be open for as long as a draft is kept, and they outlast its rows.
STACK_PARAMETERS["QuestionDays"] = str(QUESTION_DAYS + REVIEW_DRAFT_SECONDS // 86_400 + 2)
REVIEW_UNDO_SECONDS = number("COUNTERSIGN_REVIEW_UNDO_SECONDS", 8)
REPAIR_AFTER_SECONDS = number("COUNTERSIGN_REPAIR_AFTER_SECONDS", 30)  # then what should have moved is driven on
# How often a run's engine execution is looked up. The emulator forgets its executions at a restart; AWS does not.
RUN_CHECK_SECONDS = number("COUNTERSIGN_RUN_CHECK_SECONDS", 30 if ON_LAPTOP else 900)
# A person who opens a document again within this time has looked at it once.
VIEW_ACTIVITY_SECONDS = number("COUNTERSIGN_VIEW_ACTIVITY_SECONDS", 10 * 60)
SWEEP_SECONDS = number("COUNTERSIGN_SWEEP_SECONDS", 10)
# Between two repairs of a row that fail, at most: once a service answers again, what waited for it goes on soon.
SWEEP_PAUSE_SECONDS = 60
DUE_SHARDS = number("COUNTERSIGN_DUE_SHARDS", 1)
# Counters are spread over so many rows, so that documents that move at once seldom wait for each other. More of them
# may be set at any time; a count is the sum over all.
COUNTER_SHARDS = number("COUNTERSIGN_COUNTER_SHARDS", 16)
# How long a process trusts what it read of sites and permissions: one that is taken away holds so long at most.
ACCESS_SECONDS = number("COUNTERSIGN_ACCESS_SECONDS", 5)
# Batches.
BATCH_MAX_LINES = number("COUNTERSIGN_BATCH_MAX_LINES", 100_000)
BATCH_MAX_BYTES = number("COUNTERSIGN_BATCH_MAX_BYTES", 64 * 1024 * 1024)  # of a manifest
BATCH_MOST_SLOTS = 100  # of one batch: its lanes are a map in its row
BATCH_PART_LINES = 100  # that one message is about
BATCH_CHECK_SECONDS = number("COUNTERSIGN_BATCH_CHECK_SECONDS", 30)  # how often a batch is looked at for lost lines
PAGE_SIZE = 25
# Where page files of other systems' reviews may lie, site by site; without an entry a site takes text only.
INTAKE_SOURCES = sources("COUNTERSIGN_INTAKE_SOURCES")
INTAKE_MAX_PAGES = number("COUNTERSIGN_INTAKE_MAX_PAGES", 50)
INTAKE_MAX_BYTES = number("COUNTERSIGN_INTAKE_MAX_BYTES", 25 * 1024 * 1024)  # of one page file
# Webhooks: into one's own network only where somebody says so, which is also what a test on this machine needs.
WEBHOOK_PRIVATE_ADDRESSES = env("COUNTERSIGN_WEBHOOK_PRIVATE_ADDRESSES", "0") == "1"
ACTION_ATTEMPTS = number("COUNTERSIGN_ACTION_ATTEMPTS", 6)  # then a person looks at it
ACTION_RETRY_SECONDS = number("COUNTERSIGN_ACTION_RETRY_SECONDS", 30)  # fourfold each time: 30 s, 2 min, … 2 h
WEBHOOK_TIMEOUT_SECONDS = number("COUNTERSIGN_WEBHOOK_TIMEOUT_SECONDS", 10)

# What answers searches: a class as ``workflows.search.index.SearchIndex`` says. This one needs nothing but DATABASES.
SEARCH_INDEX = env("COUNTERSIGN_SEARCH_INDEX", "workflows.search.database.DatabaseIndex")

# --- outside services that do the work of a stage -----------------------------
# On AWS's own endpoints, on a laptop too: the embedded AWS has no Textract and invents Bedrock's answers.
PROVIDERS_REGION = env("COUNTERSIGN_PROVIDERS_REGION", AWS_REGION)
# Who does the work where neither the document nor its project says it. Nothing leaves this machine by itself.
OCR_MODEL = env("COUNTERSIGN_OCR_MODEL", "pp-ocrv5")
ANALYZER = env("COUNTERSIGN_ANALYZER", "rules")
TRANSCRIBER = env("COUNTERSIGN_TRANSCRIBER", "local")
SUMMARIZER = env("COUNTERSIGN_SUMMARIZER", "local")
# Newer models are called by a profile that spreads calls over the regions of a continent.
_CONTINENT = {"us": "us", "eu": "eu", "ap": "apac"}.get(PROVIDERS_REGION[:2], "us")
BEDROCK_MODEL = env("COUNTERSIGN_BEDROCK_MODEL", f"{_CONTINENT}.amazon.nova-lite-v1:0")  # is asked first
BEDROCK_STRONG_MODEL = env("COUNTERSIGN_BEDROCK_STRONG_MODEL", f"{_CONTINENT}.amazon.nova-pro-v1:0")
TAKEOVER_PERCENT = number("COUNTERSIGN_TAKEOVER_PERCENT", 70)  # below it the stronger one is asked (seed 001: 0.7)
BDA_PROJECT_ARN, BDA_PROFILE_ARN = env("COUNTERSIGN_BDA_PROJECT_ARN", ""), env("COUNTERSIGN_BDA_PROFILE_ARN", "")
OCR_ENDPOINT_URL = env("COUNTERSIGN_OCR_ENDPOINT_URL", "")  # PaddleX's serving interface, over https
OCR_ENDPOINT_KEY = env("COUNTERSIGN_OCR_ENDPOINT_KEY", "")
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
PROVIDER_JOB_SECONDS = number("COUNTERSIGN_PROVIDER_JOB_SECONDS", 6 * 3600)  # then a job is given up
PROVIDER_TIMEOUT_SECONDS = number("COUNTERSIGN_PROVIDER_TIMEOUT_SECONDS", 50)  # of one call; below a step's lease
PROVIDER_ATTEMPTS = number("COUNTERSIGN_PROVIDER_ATTEMPTS", 4)  # of one call, on transient errors only
PROVIDER_FAILURES = number("COUNTERSIGN_PROVIDER_FAILURES", 5)  # calls in a row, then nobody asks for a while
PROVIDER_PAUSE_SECONDS = number("COUNTERSIGN_PROVIDER_PAUSE_SECONDS", 60)  # twice as long each time, up to:
PROVIDER_PAUSE_MAX_SECONDS = number("COUNTERSIGN_PROVIDER_PAUSE_MAX_SECONDS", 900)
PROVIDER_PROBE_SECONDS = number("COUNTERSIGN_PROVIDER_PROBE_SECONDS", 120)  # one caller's right to try it first
PROVIDER_LOOK_SECONDS = number("COUNTERSIGN_PROVIDER_LOOK_SECONDS", 5)  # how long a process trusts what it read of it

# --- mail ----------------------------------------------------------------------
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", "countersign@localhost")
EMAIL_HOST = env("EMAIL_HOST", "")
EMAIL_PORT = number("EMAIL_PORT", 587)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = env("EMAIL_HOST_USER", ""), env("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env("EMAIL_USE_TLS", "1") == "1"
EMAIL_TIMEOUT = 20
# Without a server a laptop's mails are files in its state folder, to be looked at and never sent.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST or not ON_LAPTOP else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = STATE_DIR / "mail"

# Whether who sent a document is told that it was rejected or failed: "mail" to the account's address, "sns" to a topic.
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
ENGINE = transport.checked_engine(env("COUNTERSIGN_ENGINE", transport.STEP_FUNCTIONS), BROKER)
BROKER_PREFIX = env("COUNTERSIGN_BROKER_PREFIX", "")  # of the queues' names, where desks of one name share a broker
CELERY_TASK_QUEUES = transport.queues(BROKER, QUEUE_URLS, BROKER_PREFIX)
# The celery engine: nobody has a run, its queue is empty, and nothing was heard of it for so long. Longer than a
# message is hidden or waits for its time.
MESSAGE_LOST_SECONDS = number("COUNTERSIGN_MESSAGE_LOST_SECONDS", 300)
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
    # botocore's own are 60 seconds five times, for which a page would wait that orders something.
    "client-config": {
        "connect_timeout": 3,
        "read_timeout": 7,
        "retries": {"mode": "standard", "total_max_attempts": 2},
    },
    "wait_time_seconds": 5,
    "polling_interval": 0.02,  # each delivery costs one; idle, the long poll waits
}
CELERY_BROKER_TRANSPORT_OPTIONS = transport.options(
    BROKER, _SQS_OPTIONS, prefix=BROKER_PREFIX or f"{STACK}:", hidden_seconds=QUEUE_VISIBILITY_SECONDS
)
if ON_LAPTOP:
    # kombu's SQS transport has no endpoint option and boto3 reads this one variable; without it, it would call AWS.
    os.environ["AWS_ENDPOINT_URL"] = str(AWS_ENDPOINT_URL)
CELERY_TASK_DEFAULT_QUEUE = DESK_QUEUE
CELERY_TASK_ROUTES = {
    "workflows.tasks.run_step": {"queue": STEPS_QUEUE},
    "workflows.tasks.run_slice": {"queue": SLICES_QUEUE},
    "workflows.tasks.unpack": {"queue": STEPS_QUEUE},
    "workflows.tasks.finish_removal": {"queue": STEPS_QUEUE},  # a document of thousands of pages takes minutes
    "workflows.tasks.index_document": {"queue": SEARCH_QUEUE},
    "review.tasks.sweep": {"queue": SWEEP_QUEUE},
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
if ON_LAPTOP:
    _DATABASE_URL = env("DATABASE_URL", f"sqlite:///{STATE_DIR / 'countersign.sqlite3'}")
else:
    _DATABASE_URL = required(
        "DATABASE_URL", ("users and sessions are stored in PostgreSQL, shared by all web processes.")
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

LOGGING_CONFIG = "config.logs.configure"
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonFormatter"}},
    "filters": {"library": {"()": "config.logs.Library"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["library"]}},
    "root": {"handlers": ["stderr"], "level": env("COUNTERSIGN_LOG_LEVEL", "INFO")},
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
        "celery.app.trace": {"level": "WARNING"},
    },
}
