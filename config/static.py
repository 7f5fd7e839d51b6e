"""Static files by names that carry the hash of their content."""

import functools

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it ships no types
    """The names are fixed while a process lives, and a page asks for a dozen: each is worked out once."""

    @functools.cache  # noqa: B019 - there is one storage a process
    def url(self, name: str | None, force: bool = False) -> str:
        found: str = super().url(name, force)
        return found
