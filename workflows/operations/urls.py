"""URLs of health, metrics and practice documents, in the namespace ``workflows``."""

from django.urls import path

from workflows.operations.views import health, practice

urlpatterns = [
    path("healthz", health.is_up, name="healthz"),
    path("readyz", health.is_ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("practice/", practice.load, name="load-practice"),
]
