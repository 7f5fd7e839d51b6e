"""URLs of what decides where documents go, under ``/settings/``."""

from django.urls import path

from workflows.views import rules, rulesets

app_name = "routing"
urlpatterns = [
    path("rules/", rulesets.list_rulesets, name="list-rulesets"),
    path("rules/new/", rulesets.create_ruleset, name="create-ruleset"),
    path("rules/<str:ruleset_id>/", rulesets.edit_ruleset, name="edit-ruleset"),
    path("rules/<str:ruleset_id>/new/", rules.create_rule, name="create-rule"),
    path("rules/<str:ruleset_id>/<str:rule_id>/", rules.edit_rule, name="edit-rule"),
]
