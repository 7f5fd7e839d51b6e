"""The processes of a deployment by name, and how each is started: on a laptop, in a container, as a service."""

from django.conf import settings

_WORKER = ("celery", "-A", "config", "worker", "-c", "1", "--without-gossip", "--without-mingle", "-l", "INFO")

# Arguments after the interpreter's ``-m``. Six workers, so that a decision never waits for OCR, indexing or a sweep, a
# single page for the slices of a large document, or a document for an experiment.
PROCESSES: dict[str, tuple[str, ...]] = {
    "web": ("gunicorn", "-c", "python:config.gunicorn", "config.wsgi"),
    "worker-steps": (*_WORKER, "-Q", settings.STEPS_QUEUE, "-n", "steps@%h"),
    "worker-slices": (*_WORKER, "-Q", settings.SLICES_QUEUE, "-n", "slices@%h"),
    "worker-desk": (*_WORKER, "-Q", settings.DESK_QUEUE, "-n", "desk@%h"),
    "worker-sweep": (*_WORKER, "-Q", settings.SWEEP_QUEUE, "-n", "sweep@%h"),
    "worker-experiments": (*_WORKER, "-Q", settings.EXPERIMENTS_QUEUE, "-n", "experiments@%h"),
    "worker-search": (*_WORKER, "-Q", settings.SEARCH_QUEUE, "-n", "search@%h"),
    "beat": ("celery", "-A", "config", "beat", "-l", "WARNING", "--pidfile="),
}
# For two cores: as few as keep a decision from waiting for OCR, and a single page for the slices of a large document.
# Quick queues share a worker, and so do slow ones. The supervisor replaces beat.
_QUICK = (settings.DESK_QUEUE, settings.SWEEP_QUEUE, settings.SEARCH_QUEUE)
_LONG = (settings.SLICES_QUEUE, settings.EXPERIMENTS_QUEUE)
LAPTOP: dict[str, tuple[str, ...]] = {
    "worker-desk": (*_WORKER, "-c", "2", "-Q", ",".join(_QUICK), "-n", "desk@%h"),
    "worker-steps": PROCESSES["worker-steps"],
    "worker-slices": (*_WORKER, "-c", "2", "-Q", ",".join(_LONG), "-n", "slices@%h"),
}
WORKERS = tuple(name for name in PROCESSES if name != "web")
