"""URLs of what decides where documents go, under ``/settings/``."""

from django.urls import path

from workflows.routing.views import field_mappings, rules, rulesets

app_name = "routing"
urlpatterns = [
    path("mappings/", field_mappings.list_mappings, name="list-mappings"),
    path("mappings/new/", field_mappings.create_mapping, name="create-mapping"),
    path("mappings/<str:mapping_id>/", field_mappings.edit_mapping, name="edit-mapping"),
    path("rules/", rulesets.list_rulesets, name="list-rulesets"),
    path("rules/new/", rulesets.create_ruleset, name="create-ruleset"),
    path("rules/<str:ruleset_id>/", rulesets.edit_ruleset, name="edit-ruleset"),
    path("rules/<str:ruleset_id>/new/", rules.create_rule, name="create-rule"),
    path("rules/<str:ruleset_id>/<str:rule_id>/", rules.edit_rule, name="edit-rule"),
]
