"""URLs of rulesets, rules and mappings, under ``/settings/``."""

from django.urls import path

from workflows.routing import views

app_name = "routing"
urlpatterns = [
    path("mappings/", views.list_mappings, name="list-mappings"),
    path("mappings/new/", views.create_mapping, name="create-mapping"),
    path("mappings/<str:mapping_id>/", views.edit_mapping, name="edit-mapping"),
    path("rules/", views.list_rulesets, name="list-rulesets"),
    path("rules/new/", views.create_ruleset, name="create-ruleset"),
    path("rules/<str:ruleset_id>/", views.edit_ruleset, name="edit-ruleset"),
    path("rules/<str:ruleset_id>/new/", views.create_rule, name="create-rule"),
    path("rules/<str:ruleset_id>/<str:rule_id>/", views.edit_rule, name="edit-rule"),
    path("rules/<str:ruleset_id>/<str:rule_id>/webhook/", views.send_webhook_test, name="send-webhook-test"),
]
