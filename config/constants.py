"""Constants that no deployment has to change. ``config.settings`` imports all of them, as it does ``framework``.

On a laptop ``COUNTERSIGN_OVERRIDES={"SWEEP_SECONDS": 2}`` overrides any of them, so that processes started by tests
wait less.
"""

from config import environment

DEBUG = False  # Django's pages about faults
LOG_LEVEL = "INFO"  # alarms match messages of this level: a higher one silences them
WEB_THREADS = 8  # of each process of the deployed web server

# --- files ---------------------------------------------------------------------
UPLOAD_MAX_BYTES = 500 * 1024 * 1024
UPLOAD_MAX_PAGES = 30_000
# Limits of what is extracted from one email or archive, including nested ones.
UNPACK_MAX_FILES = 200
UNPACK_MAX_BYTES = 500 * 1024 * 1024
UNPACK_MAX_DEPTH = 3  # an email in an archive in an email
WORKER_ATTEMPTS = 10  # a file that killed so many workers is given up

# --- runs ----------------------------------------------------------------------
STEP_TIMEOUT_SECONDS = 3600  # of one machine step in the state machine
LONG_STEP_TIMEOUT_SECONDS = 86_400  # from the second version on
STEP_LEASE_SECONDS = 60  # a worker's claim on a step, renewed by heartbeats
# How many slices of one run wait or are worked on at a time, where its site and project have slots for so many: each
# that is done sends the next, so that a document of thousands of pages never fills the queue before others.
SLICES_IN_FLIGHT = 8
# What a site and a project may have under way at a time, of slices and of a batch's runs each, unless an admin says
# otherwise. Their large documents share the ones fairly, their batches the others.
SITE_SLOTS = 40
PROJECT_SLOTS = 20
# A run that starts while its site has more documents in progress gets lower priority: the workers of slices process its
# steps, so that other sites' single pages need not wait. Limits of site and project set by an admin take precedence.
BUSY_RUNS = 20
# Steps of documents with more pages are processed by the workers of slices, so that single pages need not wait.
LARGE_PAGES = 20
# A fan-out without progress for so long is sent again: longer than a slice and its redelivery take.
JOIN_CHECK_SECONDS = 300
JOIN_KEPT_SECONDS = 30 * 86_400  # after its last slice
QUEUE_VISIBILITY_SECONDS = 120  # after it, another worker gets a killed worker's message; longer than a lease
REPAIR_AFTER_SECONDS = 30  # after it, stalled work is repaired
# How often a run's engine execution is looked up. The emulator forgets its executions at a restart; AWS does not.
RUN_CHECK_SECONDS = 30 if environment.ON_LAPTOP else 900
# The celery engine: no one has a run, its queue is empty, and nothing was heard of it for so long. Longer than a
# message is hidden or waits for its time. With every engine, a question about a page.
MESSAGE_LOST_SECONDS = 300
SWEEP_SECONDS = 10
MEASURE_SECONDS = 60  # between two measurements of the deployment, for CloudWatch
# A worker that took nothing for so long although its queue was not empty and a slot of its was free ends itself, and
# is started again. Longer than Celery takes to connect again to a broker that is back after some seconds.
WORKER_STALLED_SECONDS = 30
# Maximum pause between two failed repairs of a row, so that work resumes soon after a service recovers.
SWEEP_PAUSE_SECONDS = 60
DUE_SHARDS = 1  # partitions of the due index; a fleet of thousands of runs a minute wants more
# Counters are spread over so many rows, so that documents that move at once seldom wait for each other. More of them
# may be set at any time; a count is the sum over all.
COUNTER_SHARDS = 16
# How long a process trusts what it read of sites and permissions: one that is taken away holds so long at most.
ACCESS_SECONDS = 5
PAGE_SIZE = 25
API_REQUESTS, API_SECONDS = 600, 60  # requests of a key in a window
WEBHOOK_LOG_DAYS = 30  # retention of the log of calls
EVENT_SETTLE_SECONDS = 5  # then the API tells of an event: processes write theirs at once, and clocks differ a little
PRESIGNED_SECONDS = 900  # validity of a presigned URL of a file

# --- reviews and questions -----------------------------------------------------
REVIEW_TIMEOUT_SECONDS = 7 * 86_400  # seed 001: seven days
# Between the last moment to decide and the machine's own timeout: undo window, queue and one sweep fit into it.
REVIEW_MARGIN_SECONDS = 120
# So long before the last moment to decide a review is escalated; of a short one, in its last quarter.
REVIEW_ESCALATE_SECONDS = 86_400
REVIEW_LEASE_SECONDS = 15 * 60  # a claim without a key pressed; then others may take over
REVIEW_UNDO_SECONDS = 8
VIEW_ACTIVITY_SECONDS = 10 * 60  # a person who opens a document again within this time has looked at it once
VIEW_GATHER_SECONDS = 2  # a process of the web sends the looks of so long in one message
QUESTION_DAYS = 90  # retention of other systems' review requests after their end
INTAKE_MAX_PAGES = 50  # pages of such a request
INTAKE_MAX_BYTES = 25 * 1024 * 1024  # of one page file

# --- batches -------------------------------------------------------------------
BATCH_MAX_LINES = 100_000
BATCH_MAX_BYTES = 64 * 1024 * 1024  # of a manifest
BATCH_MOST_SLOTS = 100  # of one batch: its lanes are a map in its row
BATCH_PART_LINES = 100  # lines of one message
BATCH_CHECK_SECONDS = 30  # interval of checking a batch for lost lines

# --- what follows a publication ------------------------------------------------
ACTION_ATTEMPTS = 6  # attempts, after which a person has to act
ACTION_RETRY_SECONDS = 30  # fourfold each time: 30 s, 2 min, … 2 h
WEBHOOK_TIMEOUT_SECONDS = 10
# What answers searches: a class as ``workflows.search.index.SearchIndex`` says. This one needs nothing but DATABASES.
SEARCH_INDEX = "workflows.search.database.DatabaseIndex"

# --- default providers ---------------------------------------------------------
# By default, nothing leaves this machine.
OCR_MODEL = "pp-ocrv5"
ANALYZER = "rules"
TRANSCRIBER = "local"
SUMMARIZER = "local"
MODEL = "bedrock"  # the catalogue id of the default language model
# Error limit of unreviewed values; until a project's reviews confirm it, only proved values are published without
# review.
MOST_WRONG_PERCENT = 1
TAKEOVER_PERCENT = 70  # below it the stronger model is used (seed 001: 0.7)
PROVIDER_JOB_SECONDS = 6 * 3600  # timeout of a job
PROVIDER_TIMEOUT_SECONDS = 50  # of one call; below a step's lease
PROVIDER_ATTEMPTS = 4  # of one call, on transient errors only
PROVIDER_FAILURES = 5  # consecutive failures that open the circuit breaker
PROVIDER_PAUSE_SECONDS = 60  # twice as long each time, up to:
PROVIDER_PAUSE_MAX_SECONDS = 900
PROVIDER_PROBE_SECONDS = 120  # one caller's right to try it first
PROVIDER_LOOK_SECONDS = 5  # how long a process trusts what it read of it

if environment.ON_LAPTOP:  # not by a name of this module, which could be replaced
    globals().update(environment.overrides("COUNTERSIGN_OVERRIDES", globals()))
