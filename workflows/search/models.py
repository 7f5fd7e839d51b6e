"""The search index in Django's database: derived from the table and S3, never a source of truth (ADR 0009)."""

from django.db import models


class SearchDocument(models.Model):
    """A document that the index knows; found by its parts of the same ``generation``.

    A removed one keeps its ids and its generation, so that a late writer is refused.
    """

    site = models.CharField(max_length=40)
    document_id = models.CharField(max_length=255)
    project_id = models.CharField(max_length=255, default="")
    project_name = models.TextField(default="")
    name = models.TextField(default="")
    file_type = models.CharField(max_length=255, default="")
    run_id = models.CharField(max_length=64, default="")
    status = models.CharField(max_length=32, default="")
    created_at = models.CharField(max_length=40, default="")  # in the table's format of instants
    generation = models.CharField(max_length=26, default="")  # a ULID, increasing
    is_found = models.BooleanField(default=False)
    seen_at = models.CharField(max_length=40, default="")  # when it was last compared with the table

    class Meta:
        constraints = (models.UniqueConstraint(fields=["site", "document_id"], name="search_one_document"),)
        indexes = (
            models.Index(fields=["site", "is_found", "created_at", "document_id"], name="search_by_newest"),
            models.Index(fields=["site", "seen_at"], name="search_by_seen"),
        )

    def __str__(self) -> str:
        return self.document_id


class SearchPart(models.Model):
    """A text of a document as displayed; its words are in ``search_searchwords``, in the database's format."""

    document = models.ForeignKey(SearchDocument, on_delete=models.CASCADE, db_index=False)
    generation = models.CharField(max_length=26)
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=8)
    page = models.PositiveIntegerField(null=True)
    label = models.TextField(default="")
    text = models.TextField()

    class Meta:
        indexes = (models.Index(fields=["document", "generation", "position"], name="search_by_part"),)

    def __str__(self) -> str:
        return f"{self.document_id} {self.kind} {self.position}"


class SearchRebuild(models.Model):
    """The progress of a rebuild of a site's entries, so that it can be continued."""

    site = models.CharField(max_length=40, primary_key=True)
    started_at = models.CharField(max_length=40)
    project_id = models.CharField(max_length=255, default="")
    cursor = models.TextField(default="")  # of the project's documents
    done = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.site
