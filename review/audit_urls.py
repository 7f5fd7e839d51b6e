"""URLs of the audit page, under ``/settings/audit/``."""

from django.urls import path

from review.views import audit

app_name = "audit"
urlpatterns = [
    path("", audit.show_audit, name="show-audit"),
    path("export/<slug:form>/", audit.export_audit, name="export-audit"),
]
