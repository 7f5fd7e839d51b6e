"""Writes of entities: one conditional transaction each; the audit events are also their history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, gettext_noop

from config import clock, table
from config.brokers import queues
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase, Sentence
from config.transaction import EXISTS, Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.entities import queries
from projects.entities.items import MERGED, PREFIX, EntityMerge, EntityName, EntityNumber, EntityRow, EntityType
from projects.entities.names import keys_of, without_repeats
from projects.entities.numbers import tidy_iban, tidy_tax_id
from projects.entities.queries import IBAN, TAX_ID, entity_key, name_key, number_key
from projects.entities.references import count_use, find_referring_documents, list_referring, reference_to
from projects.sites import directory

LONGEST_NAME, LONGEST_VALUE = 120, 500  # characters
MOST_IBANS, MOST_ALIASES, MOST_ATTRIBUTES = 10, 20, 30
_NAMESPACE = "CUSTOM"
_JUST_USED = gettext_noop("An entry or attribute was just added to this type. Reload the page to see which.")
REPOINT = "projects.tasks.repoint_documents"  # the task that has documents follow a merge


@dataclass(frozen=True)
class EntityDraft:
    """The typed properties of an entity."""

    name: str
    tax_id: str = ""
    ibans: Sequence[str] = ()
    aliases: Sequence[str] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)

    def tidy(self) -> "EntityDraft":
        """Normalise the draft. Raises: Refused, naming the invalid entry."""
        ibans = [tidy_iban(one) for one in self.ibans if one.strip()]
        name = _tidy_name(self.name)
        aliases = without_repeats(name, [_tidy_name(one) for one in self.aliases if one.strip()])
        attributes = {_tidy_name(key): value.strip() for key, value in self.attributes.items() if value.strip()}
        if len(ibans) > MOST_IBANS or len(aliases) > MOST_ALIASES or len(attributes) > MOST_ATTRIBUTES:
            raise Refused(
                gettext("Up to %(most_ibans)s IBANs, %(most_aliases)s other names and %(most_attributes)s attributes.")
                % {"most_ibans": MOST_IBANS, "most_aliases": MOST_ALIASES, "most_attributes": MOST_ATTRIBUTES}
            )
        if any(len(value) > LONGEST_VALUE for value in attributes.values()):
            raise Refused(
                gettext("An attribute can have up to %(longest_value)s characters.") % {"longest_value": LONGEST_VALUE}
            )
        return EntityDraft(name, tidy_tax_id(self.tax_id), list(dict.fromkeys(ibans)), aliases, attributes)

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """Numbers by kind, of a normalised draft."""
        return [*([(TAX_ID, self.tax_id)] if self.tax_id else []), *((IBAN, one) for one in self.ibans)]

    @property
    def called(self) -> Sequence[str]:
        """Its names as in keys."""
        return keys_of([self.name, *self.aliases])


def draft_of(entity: EntityRow) -> EntityDraft:
    return EntityDraft(
        str(entity.name), entity.tax_id or "", list(entity.ibans or ()), list(entity.aliases or ()), entity.attributes
    )


def _tidy_name(name: str) -> str:
    found = " ".join(name.split())
    if not found or not found.isprintable():
        raise Refused(gettext("Enter a name."))
    if len(found) > LONGEST_NAME:
        raise Refused(gettext("A name can have up to %(longest_name)s characters.") % {"longest_name": LONGEST_NAME})
    return found


def create_type(site: str, name: str, *, by: Actor, type_id: str = "") -> EntityType:
    """Raises: Refused; Conflict, if the same form made it."""
    name, type_id = _tidy_name(name), type_id or clock.new_ulid()
    _check_type_is_free(site, name)
    row = EntityType(
        *table.ENTITY_TYPE.key(site, document_id=type_id),
        **table.ENTITY_TYPE.gsi1(site, namespace=_NAMESPACE, name=name),
        documentId=type_id,
        namespace=_NAMESPACE,
        name=name,
        inserteddate=clock.iso(clock.now()),
        user_name=by.name,
        uses=0,
    )
    transact([Put(row)], entity_event(site, "entityType", type_id, "created", by=by, payload={"name": name}))
    directory.forget_uses()
    return row


def _check_type_is_free(site: str, name: str, *, but: str = "") -> None:
    """Raises: Conflict, if another type than ``but`` is called so."""
    if any(str(one.name).lower() == name.lower() and one.type_id != but for one in queries.list_types(site)):
        raise Conflict(gettext("There is already a type “%(name)s”.") % {"name": name})


def rename_type(site: str, type_id: str, name: str, *, was: str = "", by: Actor) -> EntityType:
    """Give a type another name; its ID stays, and with it its entries and attributes. ``was``: the name that was shown.

    Nothing is written if it has the name already. Raises: NotFound; Refused; Conflict, if another type has the name,
    or someone renamed it since.
    """
    name, before = _tidy_name(name), queries.get_type(site, type_id)
    if before.name == name:
        return before
    if was and before.name != was:
        raise _tell_new_name(before)
    _check_type_is_free(site, name, but=type_id)
    index = table.ENTITY_TYPE.gsi1(site, namespace=before.namespace or _NAMESPACE, name=name)
    changes = [EntityType.name.set(name), EntityType.GSI1SK.set(index["GSI1SK"]), EntityType.updated_by.set(by.name)]
    payload = {"name": name, "before": before.name}
    event = entity_event(site, "entityType", type_id, "renamed", by=by, payload=payload)
    same = EXISTS & (EntityType.name == before.name)
    try:
        transact([Update(before.key, changes, same, of=EntityType)], event)
    except Conflict as conflict:
        raise _tell_new_name(queries.get_type(site, type_id)) from conflict
    return queries.get_type(site, type_id)


def _tell_new_name(now: EntityType) -> Conflict:
    told = Sentence("%(who)s renamed this type to “%(name)s”. Nothing was saved; check it again.")
    return Conflict(told.fill(who=now.updated_by or Phrase("Another user"), name=now.name))


def delete_type(site: str, type_id: str, *, by: Actor) -> None:
    """Delete a type that has no entries and that no attribute refers to. Duplicates that were merged do not count.

    Raises: NotFound; Refused, with what to do first.
    """
    row = queries.get_type(site, type_id)
    if why := tell_what_keeps_type(site, row):
        raise Refused(why)
    # The indexes lag behind: who has just added something has counted it, here or meanwhile.
    unused: Any = EntityType.uses.does_not_exist() if row.uses is None else EntityType.uses == row.uses
    event = entity_event(site, "entityType", type_id, "deleted", by=by, payload={"name": row.name})
    try:
        transact([Delete(row.key, EXISTS & unused, of=EntityType)], event)
    except Conflict as conflict:
        try:
            row = queries.get_type(site, type_id)
        except NotFound:  # deleted by someone else: the same result
            return
        raise Refused(tell_what_keeps_type(site, row) or gettext(_JUST_USED)) from conflict
    finally:
        directory.forget_uses()


def tell_what_keeps_type(site: str, row: EntityType) -> str:
    """Return why a type cannot be deleted and what to do first; empty if it can: three calls at most."""
    if queries.has_entries(site, row.type_id):
        return gettext("This type still has entries. Delete them first.")
    for one in list_referring(site, row.type_id):
        if one.in_use:
            told = gettext(
                "Attribute %(label)s refers to this type and is in use, so the type stays. Rename it instead."
            )
        else:
            told = gettext("Attribute %(label)s refers to this type. Delete the attribute first.")
        return told % {"label": one.label}
    return gettext(_JUST_USED) if (row.uses or 0) > 0 else ""


def create_entity(site: str, type_id: str, draft: EntityDraft, *, by: Actor, entity_id: str = "") -> EntityRow:
    """Raises: NotFound, of the type; Refused; Conflict, if a number is another entity's."""
    queries.get_type(site, type_id)
    draft, entity_id = draft.tidy(), entity_id or clock.new_ulid()
    now = clock.iso(clock.now())
    index = table.ENTITY.gsi1(site, entity_type_id=type_id, document_id=entity_id, name=draft.name)
    row = EntityRow(
        *entity_key(site, type_id, entity_id),
        documentId=entity_id,
        entityTypeId=type_id,
        inserteddate=now,
        version=1,
        updated_at=now,
        updated_by=by.name,
        **(index | _columns(draft)),
    )
    event = entity_event(site, "entity", entity_id, "created", by=by, payload=_words(draft))
    try:
        mine = [Put(row), *_take(site, row, draft.numbers), *_call(site, row, draft)]
        transact([*mine, count_use(site, type_id, 1)], event)
    except Conflict as conflict:
        if "type" in conflict.failed:
            raise NotFound(queries.MISSING) from conflict
        raise _explain(site, draft) from conflict
    return row


def update_entity(site: str, type_id: str, entity_id: str, draft: EntityDraft, *, version: int, by: Actor) -> None:
    """Raises: NotFound, Refused; Conflict, if someone changed it since ``version``, or a number is another entity's."""
    draft, entity = draft.tidy(), queries.get_entity(site, type_id, entity_id)
    before = draft_of(entity)
    if before == draft and entity.version == version:
        return
    new = [one for one in draft.numbers if one not in before.numbers]
    gone = [one for one in before.numbers if one not in draft.numbers]
    changed = {key: {"before": _words(before)[key], "after": value} for key, value in _words(draft).items()}
    payload = {key: value for key, value in changed.items() if value["before"] != value["after"]}
    event = entity_event(site, "entity", entity_id, "updated", by=by, payload=payload)
    changes = [
        _write(site, entity, draft, version, by),
        *_take(site, entity, new),
        *_give_up(site, entity, gone),
        *_call(site, entity, draft, before),
    ]
    try:
        transact(changes, event)
    except Conflict as conflict:
        raise _explain(site, draft, entity) from conflict


def delete_entity(site: str, type_id: str, entity_id: str, *, version: int, by: Actor) -> None:
    """Raises: NotFound; Refused, if documents refer to it; Conflict, if someone changed it since ``version``."""
    entity = queries.get_entity(site, type_id, entity_id)
    value = reference_to(type_id, entity_id)
    if any(True for one in list_referring(site, type_id) for _ in find_referring_documents(site, one.key, value)):
        raise Refused(gettext("Documents refer to it. Merge it into another entry, or remove it from them first."))
    event = entity_event(site, "entity", entity_id, "deleted", by=by, payload={"name": entity.name})
    mine = Delete(entity.key, EntityRow.version == version, name="entity")
    try:
        before = draft_of(entity)
        names = _call(site, entity, None, before)
        transact([mine, *_give_up(site, entity, before.numbers), *names, count_use(site, type_id, -1)], event)
    except Conflict as conflict:
        raise _explain(site, draft_of(entity), entity) from conflict


def merge_entities(site: str, type_id: str, keep_id: str, gone_id: str, *, by: Actor) -> None:
    """Merge a duplicate into another entity, with names, numbers and attributes; its row points there.

    Raises:
        NotFound: one of them is gone.
        Refused: they are the same, have different tax IDs, or one was merged before.
        Conflict: someone changed one of them meanwhile.

    """
    if not gone_id:
        raise Refused(gettext("Select a duplicate."))
    keep, gone = (queries.get_entity(site, type_id, one) for one in (keep_id, gone_id))
    if keep_id == gone_id or MERGED in {keep.status, gone.status}:
        raise Refused(gettext("Select two entities that are not merged yet."))
    if keep.tax_id and gone.tax_id and keep.tax_id != gone.tax_id:
        raise Refused(gettext("They have different tax IDs. Change one of them first."))
    mine, other = draft_of(keep), draft_of(gone)
    names = dict.fromkeys([*mine.aliases, other.name, *other.aliases])
    draft = replace(
        mine,
        tax_id=mine.tax_id or other.tax_id,
        ibans=[*mine.ibans, *other.ibans],
        aliases=[one for one in names if one != mine.name],
        attributes={**other.attributes, **mine.attributes},
    ).tidy()
    left: list[Change] = [
        Update(
            gone.key,
            [
                EntityRow.status.set(MERGED),
                EntityRow.merged_into.set(keep_id),
                EntityRow.GSI1PK.remove(),
                EntityRow.GSI1SK.remove(),
                *_stamps(int(gone.version) + 1, by),
            ],
            EntityRow.version == gone.version,
            name="entity",
        )
    ]
    moved = [
        Update(
            number_key(site, *one),
            [EntityNumber.documentId.set(keep_id), EntityNumber.entityTypeId.set(type_id)],
            EntityNumber.documentId == gone_id,
            name="number",
        )
        for one in other.numbers
    ]
    events = [
        entity_event(site, "entity", keep_id, "merged", by=by, payload={"from": {"before": None, "after": other.name}}),
        entity_event(site, "entity", gone_id, "merged", by=by, payload={"into": {"before": None, "after": mine.name}}),
    ]
    try:
        transact(
            [
                _write(site, keep, draft, int(keep.version), by),
                *left,
                *moved,
                *_call(site, keep, draft, mine),
                *_call(site, gone, None, other),
                count_use(site, type_id, -1),
                _begin_merge(site, gone, by),
            ],
            *events,
        )
    except Conflict as conflict:
        raise Conflict(
            gettext("One of them was changed by another user. Nothing was merged; check them again.")
        ) from conflict
    queues.enqueue_soon(REPOINT, settings.STEPS_QUEUE, {"site": site, "type_id": type_id, "entity_id": gone_id})


def _begin_merge(site: str, gone: EntityRow, by: Actor) -> Put:
    """Documents that refer to the duplicate follow."""
    ids = {"entity_type_id": gone.type_id, "document_id": gone.entity_id}
    row = EntityMerge(
        *table.ENTITY_MERGE.key(site, **ids),
        **EntityMerge.due_keys(due_work.next_look(), **ids),
        documentId=gone.entity_id,
        entityTypeId=gone.type_id,
        userId=by.id,
        user_name=by.name,
        inserteddate=clock.iso(clock.now()),
    )
    return Put(row, overwrite=True)


def _columns(draft: EntityDraft) -> dict[str, Any]:
    return {
        "name": draft.name,
        "tax_id": draft.tax_id or None,
        "ibans": list(draft.ibans) or None,
        "aliases": list(draft.aliases) or None,
        "metadata": {f"{PREFIX}{key}": value for key, value in draft.attributes.items()} or None,
    }


def _words(draft: EntityDraft) -> dict[str, str]:
    """Describe the change for the history."""
    return {
        "name": draft.name,
        "tax ID": draft.tax_id,
        "IBANs": ", ".join(draft.ibans),
        "other names": ", ".join(draft.aliases),
        "attributes": "; ".join(f"{key}: {value}" for key, value in sorted(draft.attributes.items())),
    }


def _write(site: str, entity: EntityRow, draft: EntityDraft, version: int, by: Actor) -> Update:
    index = table.ENTITY.gsi1(
        site, entity_type_id=entity.type_id, document_id=entity.entity_id, name=draft.name
    )  # fmt: skip
    actions = [
        getattr(EntityRow, name).remove() if value is None else getattr(EntityRow, name).set(value)
        for name, value in _columns(draft).items()
    ]
    actions += [EntityRow.GSI1SK.set(index["GSI1SK"]), *_stamps(version + 1, by)]
    same = (EntityRow.version == version) & EntityRow.merged_into.does_not_exist()
    return Update(entity.key, actions, same, name="entity")


def _stamps(version: int, by: Actor) -> list[Any]:
    now = clock.iso(clock.now())
    return [EntityRow.version.set(version), EntityRow.updated_at.set(now), EntityRow.updated_by.set(by.name)]


def _take(site: str, entity: EntityRow, numbers: Sequence[tuple[str, str]]) -> list[Change]:
    rows = [
        EntityNumber(*number_key(site, *one), documentId=entity.entity_id, entityTypeId=entity.type_id)
        for one in numbers
    ]
    return [Put(row, name="number") for row in rows]


def _give_up(site: str, entity: EntityRow, numbers: Sequence[tuple[str, str]]) -> list[Change]:
    mine = EXISTS & (EntityNumber.documentId == entity.entity_id)
    return [Delete(number_key(site, *one), mine, name="number") for one in numbers]


def _call(site: str, entity: EntityRow, draft: EntityDraft | None, before: EntityDraft | None = None) -> list[Change]:
    """Write the rows of an entity's names, and delete those of names that it had; ``draft``: None if it is gone.

    Conditions are those of the entity itself. All names are written, as entities of before have no such rows.
    """
    type_id, entity_id = entity.type_id, entity.entity_id
    now = draft.called if draft else ()
    rows = [
        EntityName(
            *name_key(site, type_id, entity_id, one),
            **table.ENTITY_NAME.gsi1(site, entity_type_id=type_id, document_id=entity_id, name=one),
            documentId=entity_id,
            entityTypeId=type_id,
        )
        for one in now
    ]
    gone = [one for one in (before.called if before else ()) if one not in now]
    return [
        *(Put(row, overwrite=True) for row in rows),
        *(Delete(name_key(site, type_id, entity_id, one)) for one in gone),
    ]


def _explain(site: str, draft: EntityDraft, entity: EntityRow | None = None) -> Conflict:
    own = entity.entity_id if entity else ""
    for (_, number), row in queries.find_by_numbers(site, draft.numbers).items():
        if row.documentId != own:
            try:
                other = queries.get_entity(site, row.entityTypeId, row.documentId).name
            except NotFound:
                other = Phrase("another entity")
            return Conflict(
                gettext("%(number)s already belongs to %(other)s. Nothing was saved.")
                % {"number": number, "other": other}
            )
    who = entity.updated_by if entity else None
    changed = Sentence("%(who)s changed this. Nothing was saved; check it again.")
    return Conflict(changed.fill(who=who or Phrase("Another user")))
