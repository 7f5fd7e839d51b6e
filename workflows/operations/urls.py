"""URLs of health and metrics; named under ``workflows``."""

from django.urls import path

from workflows.operations.views import health

urlpatterns = [
    path("healthz", health.is_up, name="healthz"),
    path("readyz", health.is_ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
