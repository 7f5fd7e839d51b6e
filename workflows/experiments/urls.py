"""URLs of a project's experiments, in the namespace ``workflows``."""

from django.urls import path

from workflows.experiments.views import experiments

_HERE = "workflows/projects/<str:project_id>/experiments/"
_ONE = f"{_HERE}<str:experiment_id>/"
urlpatterns = [
    path(_HERE, experiments.list_experiments, name="list-experiments"),
    path(f"{_HERE}new/", experiments.create_experiment, name="create-experiment"),
    path(_ONE, experiments.show_experiment, name="show-experiment"),
    path(f"{_ONE}pause/", experiments.pause_experiment, name="pause-experiment"),
    path(f"{_ONE}resume/", experiments.resume_experiment, name="resume-experiment"),
    path(f"{_ONE}retry/", experiments.retry_experiment, name="retry-experiment"),
    path(f"{_ONE}stop/", experiments.stop_experiment, name="stop-experiment"),
    path(f"{_ONE}promote/", experiments.promote_variant, name="promote-variant"),
    path(f"{_ONE}answers/", experiments.list_cells, name="list-experiment-answers"),
    path(f"{_ONE}differences/", experiments.list_differences, name="list-experiment-differences"),
    path(f"{_ONE}documents/<slug:document_id>/", experiments.compare_document, name="compare-experiment-document"),
]
