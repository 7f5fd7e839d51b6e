"""The row of an extractor version; its content is an object in S3."""

from workflows.learning.items import StoredVersion


class StoredExtractor(StoredVersion):
    """Rows of their own, as extractors are numbered separately from calibrations."""
