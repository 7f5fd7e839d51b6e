"""The only reader of task tokens: what is stored with a waiting step, and what is answered with it.

A machine step's token lives in its message, which the queue keeps until the step is done. A review's token lives on
the review's item, under attributes that no model declares and no index projects.
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
    """An item seen for its token only."""

    taskToken = UnicodeAttribute(null=True)  # noqa: N815 - seed 004's name
    token_attempt = NumberAttribute(null=True)
    token_entered = UnicodeAttribute(null=True)


def attributes(token: str, *, attempt: int, entered: str) -> list[Action]:
    """The token as part of a larger change."""
    return [
        TokenHolder.taskToken.set(token),
        TokenHolder.token_attempt.set(attempt),
        TokenHolder.token_entered.set(entered),
    ]


def newer(*, attempt: int, entered: str) -> Condition:
    """Tokens are ordered by (engine attempt, instant the state was entered): newer replaces, same and older do not."""
    later: Condition = (TokenHolder.token_attempt == attempt) & (TokenHolder.token_entered < entered)
    older: Condition = (TokenHolder.token_attempt < attempt) | later
    replaceable: Condition = TokenHolder.taskToken.does_not_exist() | older
    return replaceable


def store(key: Key, token: str, *, attempt: int, entered: str, more: Sequence[Action] = ()) -> bool:
    """Keep a token with its item, whatever that item's status; True if it replaced an older one."""
    try:
        TokenHolder.change(
            key,
            [*attributes(token, attempt=attempt, entered=entered), *more],
            Item.PK.exists() & newer(attempt=attempt, entered=entered),
        )
    except Conflict:
        return False
    return True


def redeem(
    model: type[M], key: Key, *, take: Sequence[Action], when: Condition, done: Sequence[Action], still: Condition,
    output: Callable[[M], Mapping[str, Any]],
) -> bool:  # fmt: skip
    """Spend the token kept at ``key``: mark (``take`` where ``when`` holds), send, mark (``done`` where ``still``).

    ``output`` says what to send, of the item as the first mark left it: one call reads and marks. True if the
    engine took it. False if there is none yet or it is closed, which is neither success nor failure: whoever
    asked looks up what the run does. The mark comes before the irreversible call, so of two redeemers one calls; the
    second mark is conditional since the run may have moved on before it.

    Raises:
        Conflict: ``when`` does not hold; nothing was sent.
        Unavailable: the engine's answer is not known; the item stays as ``take`` left it and is driven on.

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
    """Answer the token kept at ``key``. False if it is closed or there is none. Raises: Unavailable."""
    return answer(TokenHolder.load(key).taskToken, output)


def reject(key: Key, error: str, sentence: str) -> bool:
    """Refuse the token kept at ``key``. False if it is closed or there is none. Raises: Unavailable."""
    return refuse(TokenHolder.load(key).taskToken, error, sentence)


def answer(token: str | None, output: Mapping[str, Any]) -> bool:
    """Hand a step's result back to the engine. False if the token is closed. Raises: Unavailable."""
    if not token:
        return False
    try:
        driver.send_success(token, output)
    except TokenClosed:
        log.info("token closed")
        return False
    return True


def refuse(token: str | None, error: str, sentence: str) -> bool:
    """Tell the engine that the step cannot be done. False if the token is closed. Raises: Unavailable."""
    if not token:
        return False
    try:
        driver.send_failure(token, error, sentence)
    except TokenClosed:
        log.info("token closed")
        return False
    return True


def refuse_kept(key: Key, error: str, sentence: str) -> bool:
    """The same with the token kept at ``key``; False if there is none or it is closed. Raises: Unavailable."""
    try:
        return refuse(TokenHolder.load(key, only=[TokenHolder.taskToken.attr_name]).taskToken, error, sentence)
    except NotFound:
        return False
