"""Rows that wait in the due index (GSI2) until their work is done."""

from typing import Any, ClassVar

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.item import Item
from config.table import Entity


class DueWork(Item):
    """Work that must happen later, and the lease of the worker who is at it."""

    due_entity: ClassVar[Entity]  # whose template leads into the due index
    lease_owner = UnicodeAttribute(null=True)
    # Not the projected name: a heartbeat must not write more index rows than it moves.
    lease_until = UnicodeAttribute(null=True, attr_name="step_lease_until")

    @classmethod
    def due_keys(cls, at: str, **ids: str) -> dict[str, Any]:
        """The index attributes of a row that is due ``at`` a stored instant; ``ids`` as its template names them."""
        return table.due_index(cls.due_entity, at, **ids)

    @property
    def is_scheduled(self) -> bool:
        """Return True if it stands in the due index, whenever it is due."""
        return self.GSI2PK is not None

    def unschedule(self) -> None:
        """Take the index attributes from a row that is not written yet."""
        self.GSI2PK = self.GSI2SK = None


class CountedWork(DueWork):
    """Due work that may kill its worker: begins are counted, so that it kills workers only so often.

    ``tries``: begins since it last went on; a worker that lives to release it takes its own off again.
    """

    tries = NumberAttribute(default=0)
