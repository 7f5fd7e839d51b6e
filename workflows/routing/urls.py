"""URLs of what decides where documents go, under ``/settings/``."""

from django.urls import path

from workflows.intake.views import bucket
from workflows.operations.views import dead_letters
from workflows.routing.views import field_mappings, rules, rulesets

app_name = "routing"
urlpatterns = [
    path("failed/", dead_letters.list_dead_letters, name="list-dead-letters"),
    path("failed/<slug:queue>/<str:message_id>/", dead_letters.settle_dead_letter, name="settle-dead-letter"),
    path("incoming/", bucket.list_incoming, name="list-incoming"),
    path("incoming/folders/new/", bucket.create_tenant, name="create-tenant"),
    path("incoming/folders/remove/", bucket.remove_tenant, name="remove-tenant"),
    path("incoming/<str:digest>/", bucket.settle_incoming, name="settle-incoming"),
    path("mappings/", field_mappings.list_mappings, name="list-mappings"),
    path("mappings/new/", field_mappings.create_mapping, name="create-mapping"),
    path("mappings/<str:mapping_id>/", field_mappings.edit_mapping, name="edit-mapping"),
    path("rules/", rulesets.list_rulesets, name="list-rulesets"),
    path("rules/new/", rulesets.create_ruleset, name="create-ruleset"),
    path("rules/<str:ruleset_id>/", rulesets.edit_ruleset, name="edit-ruleset"),
    path("rules/<str:ruleset_id>/new/", rules.create_rule, name="create-rule"),
    path("rules/<str:ruleset_id>/<str:rule_id>/", rules.edit_rule, name="edit-rule"),
]
