"""URLs of a project's calibrations, in the namespace ``workflows``."""

from django.urls import path

from workflows.learning.views import calibrations, thresholds

urlpatterns = [
    path("workflows/projects/<str:project_id>/thresholds/", thresholds.show_thresholds, name="show-thresholds"),
    path("workflows/projects/<str:project_id>/thresholds/collect/", thresholds.collect_reviews, name="collect-reviews"),
    path("workflows/projects/<str:project_id>/thresholds/save/", thresholds.save_thresholds, name="save-thresholds"),
    path("workflows/projects/<str:project_id>/confidence/", calibrations.show_calibration, name="show-calibration"),
    path(
        "workflows/projects/<str:project_id>/confidence/propose/",
        calibrations.propose_calibration,
        name="propose-calibration",
    ),
    path(
        "workflows/projects/<str:project_id>/confidence/<int:version>/activate/",
        calibrations.activate_calibration,
        name="activate-calibration",
    ),
]
