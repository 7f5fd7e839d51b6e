"""Practice project for reviewers: invented documents, most of which have an error to find."""

import uuid
from pathlib import Path

from config import clock
from projects.audit.events import Actor
from projects.settings.defaults import ensure_practice_project
from projects.settings.items import Project
from workflows.operations import process_files

FOLDER = Path(__file__).parent / "practice_files"  # drawn by ``tests.tools.practice``
_DOCUMENTS = uuid.UUID("0c6f6c0e-5a0b-4a7e-8d0a-2f5b9c1e7d43")  # names their ids


def load_practice(site: str, *, by: Actor) -> tuple[Project, int]:
    """Return the project and the number of documents loaded: once a day, so that a second click loads none.

    Raises: Unavailable.
    """
    project = ensure_practice_project(site, by=by)
    today, loaded = clock.now().date().isoformat(), 0
    for path in sorted(FOLDER.glob("*.pdf")):
        document_id = str(uuid.uuid5(_DOCUMENTS, f"{site}/{today}/{path.name}"))
        if process_files.is_loaded(site, project.id, document_id):
            continue
        loaded += process_files.begin_job(site, project, path, by=by, document_id=document_id).error is None
    return project, loaded
