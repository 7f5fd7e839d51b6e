"""URLs of what decides where documents go, under ``/settings/``."""

from django.urls import path

from workflows.views import dead_letters, incoming, mappings, rules, rulesets

app_name = "routing"
urlpatterns = [
    path("failed/", dead_letters.list_dead_letters, name="list-dead-letters"),
    path("failed/<slug:queue>/<str:message_id>/", dead_letters.settle_dead_letter, name="settle-dead-letter"),
    path("incoming/", incoming.list_incoming, name="list-incoming"),
    path("incoming/folders/new/", incoming.create_tenant, name="create-tenant"),
    path("incoming/folders/remove/", incoming.remove_tenant, name="remove-tenant"),
    path("incoming/<str:digest>/", incoming.settle_incoming, name="settle-incoming"),
    path("mappings/", mappings.list_mappings, name="list-mappings"),
    path("mappings/new/", mappings.create_mapping, name="create-mapping"),
    path("mappings/<str:mapping_id>/", mappings.edit_mapping, name="edit-mapping"),
    path("rules/", rulesets.list_rulesets, name="list-rulesets"),
    path("rules/new/", rulesets.create_ruleset, name="create-ruleset"),
    path("rules/<str:ruleset_id>/", rulesets.edit_ruleset, name="edit-ruleset"),
    path("rules/<str:ruleset_id>/new/", rules.create_rule, name="create-rule"),
    path("rules/<str:ruleset_id>/<str:rule_id>/", rules.edit_rule, name="edit-rule"),
]
