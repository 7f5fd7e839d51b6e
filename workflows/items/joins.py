"""Where the slices of a stage meet: which are done, and what they came to together."""

from pynamodb.attributes import NumberAttribute, NumberSetAttribute, UnicodeAttribute

from config.item import Item, map_attribute


class Join(Item):
    """The slices of one stage in one engine attempt. It also keeps the token of the step that waits for them.

    Access: by run, stage and attempt; due for a look in GSI2. Nothing that a slice changes is projected: a join is
    one write unit.
    """

    project_id = UnicodeAttribute()
    document_id = UnicodeAttribute()
    workflow_id = UnicodeAttribute()
    step = NumberAttribute()
    attempt = NumberAttribute()
    slices = NumberAttribute()  # how many there are
    planned = NumberAttribute()  # how many indices they have together
    done = NumberSetAttribute(null=True)  # numbers of slices, from 0
    failed = NumberSetAttribute(null=True)  # segments, from 0
    error = UnicodeAttribute(null=True)  # of one of them
    counts = map_attribute()
    seen = NumberAttribute(default=0)  # slices done when the sweeper last looked
    stalls = NumberAttribute(default=0)  # how often in a row it found no more
    waits_until = UnicodeAttribute(null=True)  # a service does not answer its slices; until then that is no stall
    created_at = UnicodeAttribute()
