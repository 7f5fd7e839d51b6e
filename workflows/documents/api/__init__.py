"""The API of documents. All operations of one path are in one module: Ninja asks only the first router that has it."""

from ninja import Router

from workflows.documents.api import activity, deleted, document, files, runs

router = Router(tags=["documents"])
for part in (document, files, activity, runs, deleted):
    router.add_router("", part.router)
