"""The table's key space: key templates of every entity, and the tenant rule. Key text appears nowhere else.

Templates are ``str.format`` strings as in the five seeds; ``docs/keys.md`` is generated from ``ENTITIES``.
"""

import datetime as dt
import zlib
from typing import Any, NamedTuple

from django.conf import settings

from config.table.entities import (
    batches,
    executions,
    experiments,
    exports,
    filing,
    insight,
    locales,
    management,
    models,
    pipeline,
    policies,
    prompts,
    sharing,
    trials,
)
from config.table.entities.batches import *  # noqa: F403 - the key space is one namespace
from config.table.entities.executions import *  # noqa: F403 - the key space is one namespace
from config.table.entities.experiments import *  # noqa: F403 - the key space is one namespace
from config.table.entities.exports import *  # noqa: F403 - the key space is one namespace
from config.table.entities.filing import *  # noqa: F403 - the key space is one namespace
from config.table.entities.insight import *  # noqa: F403 - the key space is one namespace
from config.table.entities.locales import *  # noqa: F403 - the key space is one namespace
from config.table.entities.management import *  # noqa: F403 - the key space is one namespace
from config.table.entities.models import *  # noqa: F403 - the key space is one namespace
from config.table.entities.pipeline import *  # noqa: F403 - the key space is one namespace
from config.table.entities.pipeline import SEGMENT
from config.table.entities.policies import *  # noqa: F403 - the key space is one namespace
from config.table.entities.prompts import *  # noqa: F403 - the key space is one namespace
from config.table.entities.sharing import *  # noqa: F403 - the key space is one namespace
from config.table.entities.trials import *  # noqa: F403 - the key space is one namespace
from config.table.keys import (
    DEFAULT_SITE as DEFAULT_SITE,
)
from config.table.keys import (
    FIRST_INDEX_ATTRIBUTES as FIRST_INDEX_ATTRIBUTES,
)
from config.table.keys import (
    INDEX_ATTRIBUTES as INDEX_ATTRIBUTES,
)
from config.table.keys import (
    VERSIONS_INDEX_ATTRIBUTES as VERSIONS_INDEX_ATTRIBUTES,
)
from config.table.keys import (
    Encoded as Encoded,
)
from config.table.keys import (
    Entity as Entity,
)
from config.table.keys import (
    InvalidKey as InvalidKey,
)
from config.table.keys import (
    Key as Key,
)
from config.table.keys import (
    decode_part as decode_part,
)
from config.table.keys import (
    encode_part as encode_part,
)
from config.table.keys import (
    fill_template as fill_template,
)
from config.table.keys import (
    join_parts as join_parts,
)
from config.table.keys import (
    number_of as number_of,
)
from config.table.keys import (
    ordered_number as ordered_number,
)
from config.table.keys import (
    site_of as site_of,
)
from config.table.keys import (
    site_partition as site_partition,
)

POSTPONED = "~"  # sorts after every digit

_PARTS = (
    pipeline, batches, management, filing, sharing, policies, prompts, models, trials, experiments, exports, insight,
    executions, locales,
)  # fmt: skip
ENTITIES: tuple[Entity, ...] = tuple(
    value for part in _PARTS for value in vars(part).values() if isinstance(value, Entity)
)


def segment_key(site: str, workflow_id: str, segment_index: int) -> Key:
    """``SEG#0000`` to ``SEG#9999``, then ``SEG#~00010000``: the tilde sorts behind every digit (index 0-based).

    >>> segment_key("default", "w", 12).sk, segment_key("default", "w", 10_000).sk
    ('SEG#0012', 'SEG#~00010000')
    """
    key = SEGMENT.key(site, workflow_id=workflow_id, segment_index=segment_index)
    return key if segment_index < 10_000 else Key(key.pk, f"SEG#~{segment_index:08d}")


def postponed_place(until: str) -> str:
    """Return the sort key of a postponed review in its queue: after all deadlines, by the time it comes back.

    >>> postponed_place("2026-11-24T09:00:00+00:00")
    '~2026-11-24T09:00:00+00:00'
    """
    return f"{POSTPONED}{until}"


def due_partition(shard: int) -> str:
    """The due index's partition: system-wide and never prefixed, so that one sweep sees every site."""
    return f"DUE#{shard}"


def due_index(entity: Entity, due_at: str, **parts: str | int) -> dict[str, Any]:
    """Return the GSI2 keys of a row that is due at ``due_at``, a stored instant."""
    shard = zlib.crc32("".join(map(str, parts.values())).encode()) % settings.DUE_SHARDS
    return {"GSI2PK": due_partition(shard), "GSI2SK": fill_template(entity.gsi2sk or "", {"due_at": due_at, **parts})}


class DuePlace(NamedTuple):
    """A parsed due-index sort key. ``since``: when it was first due. ``tries``: how often its repair failed.

    Both are part of the key, so that moving the row for any other reason resets them.
    """

    due_at: str
    kind: str
    id: str
    since: str
    tries: int = 0


_AGAIN = "#again#"


def due_place(sk: str) -> DuePlace:
    """Parse a sort key of the due index.

    >>> due_place("2026-11-21T12:00:00+00:00#run#01H")[1:]
    ('run', '01H', '2026-11-21T12:00:00+00:00', 0)
    >>> due_place("2026-11-21T12:00:20+00:00#run#01H#again#2#2026-11-21T12:00:00+00:00")[1:]
    ('run', '01H', '2026-11-21T12:00:00+00:00', 2)
    """
    place, _, again = sk.partition(_AGAIN)
    due_at, kind, name = place.split("#", 2)
    tries, _, since = again.partition("#")
    return DuePlace(due_at, kind, name, since or due_at, int(tries or 0))


def due_later(place: DuePlace, due_at: str) -> str:
    """Return the sort key after a move that is no failed repair.

    >>> due_later(due_place("2026-11-21T12:00:20+00:00#run#01H#again#2#2026-11-21T12:00:00+00:00"), "2027")
    '2027#run#01H'
    """
    return f"{due_at}#{place.kind}#{place.id}"


def due_again(place: DuePlace, due_at: str) -> str:
    """Return the sort key after one more failed repair."""
    return f"{due_at}#{place.kind}#{place.id}{_AGAIN}{place.tries + 1}#{place.since}"


def datetime_us(moment: dt.datetime) -> str:
    """``2026-11-21T12:00:00.000001Z``, the seeds' form in event and activity keys."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def datetime_s(moment: dt.datetime) -> str:
    """``2026-11-21T12:00:00Z``, seed 002's form: its keys collide within a second, so a writer moves on by one."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def date_partition(moment: dt.datetime) -> str:
    """``2026-11-21``: the partition of documents by day."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%d")
