"""Base items of rows in the due index (GSI2)."""

from typing import Any, ClassVar

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.item import Item
from config.table import Entity


class DueWork(Item):
    """Work to be done later, and the lease of the worker doing it."""

    due_entity: ClassVar[Entity]  # whose template leads into the due index
    lease_owner = UnicodeAttribute(null=True)
    # Not the projected name: a heartbeat must not write more index rows than it moves.
    lease_until = UnicodeAttribute(null=True, attr_name="step_lease_until")

    @classmethod
    def due_keys(cls, at: str, **ids: str) -> dict[str, Any]:
        """Return the index attributes of a row due ``at`` a stored instant; ``ids`` as its template names them."""
        return table.due_index(cls.due_entity, at, **ids)

    @property
    def is_scheduled(self) -> bool:
        """Return whether the row is in the due index."""
        return self.GSI2PK is not None

    def unschedule(self) -> None:
        """Remove the index attributes from a row that is not written yet."""
        self.GSI2PK = self.GSI2SK = None


class CountedWork(DueWork):
    """Due work that may crash its worker, so attempts are limited.

    ``tries``: attempts since the last progress; a worker that releases the lease subtracts its own.
    """

    tries = NumberAttribute(default=0)
