"""A version of what a project's reviews taught of where values stand: the row; its content is an object in S3."""

from workflows.learning.items import StoredVersion


class StoredExtractor(StoredVersion):
    """Rows of their own: what is learned of confidence is numbered apart."""
