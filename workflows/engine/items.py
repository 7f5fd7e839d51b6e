"""Where the slices of a stage meet: which are done, and what they came to together."""

from pynamodb.attributes import NumberAttribute, NumberSetAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import map_attribute


class Join(DueWork):
    """The slices of one stage in one engine attempt. It also keeps the token of the step that waits for them.

    Access: by run, stage and attempt; those of a site that want more slots in GSI1; due for a look in GSI2. Nothing
    that a slice changes is projected: a join is one write unit.

    ``lanes`` holds, for each slot that is taken, the slice it works on; ``sent`` is the next one. A slice is counted
    and its successor taken in one write, so a message that comes back finds in its lane whom it was to send.
    """

    due_entity = table.JOIN
    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    step = NumberAttribute()
    attempt = NumberAttribute()
    slices = NumberAttribute()  # how many there are
    planned = NumberAttribute()  # how many indices they have together
    sent = NumberAttribute(default=0)  # slices that got a slot so far: the number of the next one
    lanes = map_attribute()
    done = NumberSetAttribute(null=True)  # numbers of slices, from 0
    failed = NumberSetAttribute(null=True)  # segments, from 0
    error = UnicodeAttribute(null=True)  # of one of them
    counts = map_attribute()
    seen = NumberAttribute(default=0)  # slices done when the sweeper last looked
    stalls = NumberAttribute(default=0)  # how often in a row it found no more
    waits_until = UnicodeAttribute(null=True)  # a service does not answer its slices; until then that is no stall
    created_at = UnicodeAttribute()

    @property
    def at_work(self) -> dict[int, int]:
        """Lane → the slice that it works on."""
        return {int(lane): int(number) for lane, number in (self.lanes.as_dict() if self.lanes else {}).items()}

    @property
    def has_more(self) -> bool:
        """Slices wait for a slot."""
        return int(self.sent) < int(self.slices)
