"""The only reader of task tokens: how they are stored with a waiting step, and how they are answered.

A machine step's token is in its message, which the queue keeps until the step is done. A review's token is on the
review's item, in attributes that no model declares and no index projects.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config.errors import Conflict, NotFound, TokenClosed
from config.item import Item, translate_store_errors
from config.table import Key
from workflows.engine import driver

log = logging.getLogger(__name__)

M = TypeVar("M", bound=Item)


class TokenHolder(Item):
    """An item, read for its token only."""

    taskToken = UnicodeAttribute(null=True)  # noqa: N815 - seed 004's name
    token_attempt = NumberAttribute(null=True)
    token_entered = UnicodeAttribute(null=True)


def attributes(token: str, *, attempt: int, entered: str) -> list[Action]:
    """Return the actions that store the token, as part of a larger change."""
    return [
        TokenHolder.taskToken.set(token),
        TokenHolder.token_attempt.set(attempt),
        TokenHolder.token_entered.set(entered),
    ]


def newer(*, attempt: int, entered: str) -> Condition:
    """Return the condition that the token is newer, ordered by (engine attempt, instant the state was entered)."""
    later: Condition = (TokenHolder.token_attempt == attempt) & (TokenHolder.token_entered < entered)
    older: Condition = (TokenHolder.token_attempt < attempt) | later
    replaceable: Condition = TokenHolder.taskToken.does_not_exist() | older
    return replaceable


def store(key: Key, token: str, *, attempt: int, entered: str, more: Sequence[Action] = ()) -> bool:
    """Store a token on its item, whatever that item's status; return True if it replaced an older one."""
    try:
        TokenHolder.change(
            key,
            [*attributes(token, attempt=attempt, entered=entered), *more],
            Item.PK.exists() & newer(attempt=attempt, entered=entered),
        )
    except Conflict:
        return False
    return True


def load(key: Key, *, attempt: int) -> str | None:
    """Load the token that this attempt's waiting step left at ``key``, to hand it to a message of the same step."""
    holder = TokenHolder.load(key)
    return holder.taskToken if holder.token_attempt == attempt else None


def redeem(
    model: type[M], key: Key, *, take: Sequence[Action], when: Condition, done: Sequence[Action], still: Condition,
    output: Callable[[M], Mapping[str, Any]],
) -> bool:  # fmt: skip
    """Redeem the token at ``key``: mark (``take`` if ``when`` holds), send, mark (``done`` if ``still`` holds).

    ``output`` builds the answer from the item as the first mark left it, so one call reads and marks. Returns True if
    the engine accepted it. False if there is no token yet or it is closed, which is neither success nor failure: the
    caller has to look up the state of the run. The mark comes before the irreversible call, so only one of two
    redeemers calls. The second mark is conditional since the run may have moved on before it.

    Raises:
        Conflict: ``when`` does not hold; nothing was sent.
        Unavailable: the outcome is unknown; the item stays as ``take`` left it and is retried.

    """
    holder = TokenHolder(key.pk, key.sk)
    with translate_store_errors():
        marked = holder.update(list(take), condition=when)
    if not answer(holder.taskToken, output(model.from_raw_data(marked["Attributes"]))):
        return False
    try:
        TokenHolder.change(key, done, still)
    except Conflict:
        log.info("run moved on before its token was marked as spent")
    return True


def settle(key: Key, output: Mapping[str, Any]) -> bool:
    """Answer the token at ``key``. False if it is closed or there is none. Raises: Unavailable."""
    return answer(TokenHolder.load(key).taskToken, output)


def reject(key: Key, error: str, sentence: str) -> bool:
    """Fail the token at ``key``. False if it is closed or there is none. Raises: Unavailable."""
    return refuse(TokenHolder.load(key).taskToken, error, sentence)


def answer(token: str | None, output: Mapping[str, Any]) -> bool:
    """Return a step's result to the engine. False if the token is closed. Raises: Unavailable."""
    if not token:
        return False
    try:
        driver.send_success(token, output)
    except TokenClosed:
        log.info("token closed")
        return False
    return True


def refuse(token: str | None, error: str, sentence: str) -> bool:
    """Tell the engine that the step failed. False if the token is closed. Raises: Unavailable."""
    if not token:
        return False
    try:
        driver.send_failure(token, error, sentence)
    except TokenClosed:
        log.info("token closed")
        return False
    return True


def refuse_kept(key: Key, error: str, sentence: str) -> bool:
    """Tell the engine that the step of the token at ``key`` failed. False if there is none or it is closed.

    Raises: Unavailable.
    """
    try:
        return refuse(TokenHolder.load(key, only=[TokenHolder.taskToken.attr_name]).taskToken, error, sentence)
    except NotFound:
        return False
