"""Writes of languages and labels: conditional transactions that also bump the site's label version."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, NotFound, Refused
from config.item import Item, translate_store_errors
from config.transaction import EXISTS, Change, Check, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.schemas.labels import queries
from projects.schemas.labels.items import Locale, LocaleLabel, LocaleStatus
from projects.schemas.labels.keys import ItemType, LabelKey, item_key, locale_key, stored_key
from projects.schemas.labels.languages import find_language
from projects.schemas.labels.queries import MISSING, MOST_LANGUAGES
from projects.sites import directory
from projects.sites.actions import change_row
from projects.sites.items import Site

LONGEST = 250  # letters of a label
_AT_ONCE = 80  # labels of one transaction, which holds a hundred changes
_TOLD = 20  # labels that an event names
_ACTIVE: Condition = EXISTS & (Locale.status.does_not_exist() | (Locale.status == LocaleStatus.ACTIVE))


def add_language(site: str, tag: str, *, by: Actor) -> Locale:
    """Let the site have labels in a language; of one that is being removed, that ends first.

    Raises:
        Refused: Django knows no such language, or the site has as many as it may.
        Conflict: the site has it.

    """
    tag = find_language(tag).tag
    known = {one.tag: one for one in queries.list_locales(site)}
    if tag in known and not known[tag].is_active:
        _delete_labels(site, tag)
        del known[tag]
    if len(known) >= MOST_LANGUAGES:
        raise Refused(
            gettext("A site can have up to %(most_languages)s languages. Remove one first.")
            % {"most_languages": MOST_LANGUAGES}
        )
    row = Locale(
        *locale_key(site, tag),
        locale=tag,
        status=LocaleStatus.ACTIVE,
        user_name=by.name,
        inserteddate=clock.iso(clock.now()),
    )
    event = entity_event(site, "locale", tag, "created", by=by, payload={"locale": tag})
    try:
        transact([Put(row), _count_up(site, Site.locales.add({tag}))], event)
    except Conflict as error:
        raise Conflict(
            gettext("This site already has %(name)s.") % {"name": find_language(tag).name.translated()}
        ) from error
    finally:
        directory.forget()
    return row


def remove_language(site: str, tag: str, *, by: Actor) -> None:
    """Take a language and all its labels away. From the first write on no page shows them; again goes on from there.

    Raises:
        NotFound: the site does not have it.

    """
    gone = Update(locale_key(site, tag), [Locale.status.set(LocaleStatus.REMOVING)], _ACTIVE)
    event = entity_event(site, "locale", tag, "deleted", by=by, payload={"locale": tag})
    try:
        transact([gone, _count_up(site, Site.locales.delete({tag}))], event)
    except Conflict as error:
        if all(one.tag != tag for one in queries.list_locales(site)):
            raise NotFound(MISSING) from error
    finally:
        directory.forget()
    _delete_labels(site, tag)


def _delete_labels(site: str, tag: str) -> None:
    """Then the language's own row: until that is gone, the rest is found again."""
    delete_rows(list(queries.read_labels(site, tag).values()))
    try:
        transact([Delete(locale_key(site, tag), Locale.status == LocaleStatus.REMOVING)])
    except Conflict:  # another removal has ended, and it may have been added again since
        return


def delete_rows(rows: Iterable[LocaleLabel]) -> None:
    with translate_store_errors(), Item.batch_write() as batch:
        for row in rows:
            batch.delete(Item(*row.key))


@dataclass(frozen=True)
class LabelChange:
    """``text``: empty to remove it. ``before``: as it was shown, empty for none; None: whatever it is."""

    key: LabelKey
    text: str
    before: str | None = None


def tidy_label(text: str) -> str:
    """Raises: Refused."""
    found = " ".join(text.split())
    if len(found) > LONGEST:
        raise Refused(
            gettext("A label can have up to %(longest)s characters (currently %(count)s).")
            % {"longest": LONGEST, "count": len(found)}
        )
    if any(not letter.isprintable() and letter not in "\u200c\u200d\u200e\u200f" for letter in found):
        raise Refused(gettext("A label cannot contain control characters. Enter it again."))
    return found


def check_has_text(label: str) -> str:
    """Raises: Refused."""
    if not label:
        raise Refused(gettext("Enter the text of the label."))
    return label


def save_labels(site: str, tag: str, changes: Sequence[LabelChange], *, by: Actor) -> int:
    """Write those that say something else than is stored; returns how many. Up to eighty are all or none.

    Raises:
        Conflict: another user changed one of them since; what was written before it stays.
        InvalidKey, Refused: a key or a text that no label can have.
        NotFound: the site does not have the language.

    """
    stored = queries.read_labels(site, tag)
    wanted = [one for one in changes if one.text != (stored[one.key].text if one.key in stored else "")]
    if not wanted:
        queries.get_locale(site, tag)
    try:
        for start in range(0, len(wanted), _AT_ONCE):
            _write(site, tag, wanted[start : start + _AT_ONCE], by)
    finally:
        directory.forget()
    return len(wanted)


def _write(site: str, tag: str, changes: Sequence[LabelChange], by: Actor) -> None:
    now = clock.iso(clock.now())
    keys = [item_key(one.key) for one in changes]
    payload = {
        "set": sum(bool(one.text) for one in changes),
        "removed": sum(not one.text for one in changes),
        "labels": keys[:_TOLD],
    }
    rows = [_change(site, tag, one, now, by) for one in changes]
    language = Check(locale_key(site, tag), _ACTIVE, name="language")
    event = entity_event(site, "locale", tag, "updated", by=by, payload=payload)
    try:
        transact([language, *rows, _count_up(site)], event)
    except Conflict as error:
        if "language" in error.failed:
            raise NotFound(MISSING) from error
        raise Conflict(gettext("Another user changed these labels meanwhile. Check them and save again.")) from error


def _change(site: str, tag: str, one: LabelChange, now: str, by: Actor) -> Change:
    as_shown: Condition | None = None
    if one.before is not None:
        as_shown = LocaleLabel.localizedValue == one.before if one.before else LocaleLabel.PK.does_not_exist()
    at = stored_key(site, tag, one.key)
    if not one.text:
        return Delete(at, as_shown)
    entries: Mapping[str, str] = {
        "itemType": one.key.type.value,
        "interfaceKey": one.key.interface_key,
        "classificationId": one.key.classification_id,
        "attributeKey": one.key.attribute_key,
        "allowedValue": one.key.allowed_value,
        "locale": tag,
        "localizedValue": one.text,
        "updated_at": now,
        "updated_by": by.name,
    }
    return Update(at, [getattr(LocaleLabel, name).set(text) for name, text in entries.items() if text], as_shown)


def _count_up(site: str, *actions: Action) -> Update:
    return change_row(site, Site.labels_version.add(1), *actions)


# --- what goes with the thing that it is of --------------------------------------
def removal_changes(site: str, keys: Collection[LabelKey]) -> list[Change]:
    """Plan writes for the transaction that deletes an attribute; none on a site without languages."""
    tags = _list_tags(site)
    deleted: list[Change] = [Delete(stored_key(site, tag, key)) for tag in tags for key in keys]
    return [*deleted, _count_up(site)] if deleted else []


def forget_values(site: str, classification_id: str, values: Iterable[tuple[str, str]]) -> None:
    """After a schema's save: labels of the attributes and values that it no longer has. Again is harmless.

    ``values``: attribute and value, the value empty for what a document type calls the attribute.
    """
    tags = _list_tags(site)
    gone = list(_keys_of(classification_id, values)) if tags else []
    if not gone:
        return
    delete_rows(LocaleLabel(*stored_key(site, tag, key)) for tag in tags for key in gone)
    transact([_count_up(site)])
    directory.forget()


def _keys_of(classification_id: str, values: Iterable[tuple[str, str]]) -> Iterator[LabelKey]:
    for key, value in values:
        if classification_id:
            yield LabelKey(
                ItemType.CLASSIFICATION, classification_id=classification_id, attribute_key=key, allowed_value=value
            )
        elif value:
            yield LabelKey(ItemType.SCHEMA, attribute_key=key, allowed_value=value)


def _list_tags(site: str) -> Sequence[str]:
    row = directory.get_site(site)
    return sorted(row.locales or ()) if row else ()
