"""Settings of the web server: ``gunicorn -c python:config.gunicorn config.wsgi``, behind a load balancer."""

import gc
import os
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

bind = f"0.0.0.0:{settings.WEB_PORT}"  # the load balancer and no one else reaches it: the network's rules say so
worker_class = "gthread"  # a request waits for AWS most of its time
workers = settings.WEB_WORKERS
threads = settings.WEB_THREADS
timeout = 120  # an upload of 500 MB over a slow line
graceful_timeout = 30  # what is under way is answered before a new version takes over
keepalive = 75  # longer than a load balancer's 60 seconds: who closes first must be the balancer
max_requests = 10_000  # a leak in a library must not add up for weeks
max_requests_jitter = 1_000
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112 - a heartbeat, never on a disk
control_socket_disable = True
accesslog = None  # projects/web/access_log.py writes one with ids only: a whole address may name people
errorlog = "-"
forwarded_allow_ips = "*"


def post_worker_init(_worker: Any) -> None:
    """Freeze long-lived objects so that garbage collection skips them: a third less CPU time for a list page."""
    gc.collect()
    gc.freeze()


def worker_exit(_server: Any, _worker: Any) -> None:
    """Flush telemetry: a forked process ends without Python's exit handlers."""
    import_string("projects.documents.view_log.send_waiting")()
