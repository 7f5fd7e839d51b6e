"""URLs of the audit page, under ``/settings/audit/``."""

from django.urls import path

from review.audit import views as audit_views

app_name = "audit"
urlpatterns = [
    path("", audit_views.show_audit, name="show-audit"),
    path("export/<slug:form>/", audit_views.export_audit, name="export-audit"),
]
