"""Outlook messages as containers: the attachments, then the message's own text."""

from collections.abc import Iterator
from pathlib import Path

from config.errors import Refused
from config.phrase import Sentence
from workflows.intake.containers.mails import text_member
from workflows.intake.containers.members import Budget, Limits, Member, printable_name, too_many
from workflows.stages.formats import outlook
from workflows.stages.formats.mails import format_mail
from workflows.stages.formats.outlook import Attachment, Message

_INSIDE = Sentence("Nested Outlook message. Open it in Outlook, save it as a file and upload that.")


def is_message(path: Path) -> bool:
    return outlook.kind_of(path) == "message"


def check(path: Path, limits: Limits) -> int:
    """Raises: Refused."""
    with outlook.open_message(path) as message:
        count = len(message.attachments())
        if count > limits.files:
            raise too_many(count, limits)
        return count + bool(_text(message))


def members(path: Path, limits: Limits) -> Iterator[Member]:
    """Raises: Refused."""
    budget = Budget(limits)
    with outlook.open_message(path) as message:
        for number, one in enumerate(message.attachments(), start=1):
            if number > limits.files:
                raise too_many(number, limits)
            yield _member(message, one, number, budget)
        if text := _text(message):
            yield text_member(message.heads()["Subject"], text, budget)


def _member(message: Message, one: Attachment, number: int, budget: Budget) -> Member:
    def write(target: Path) -> None:
        if not one.stream:
            raise Refused(_INSIDE)
        content = message.content(one)
        budget.spend(len(content))
        target.write_bytes(content)

    return Member(printable_name(one.name, f"Attachment {number}"), write)


def _text(message: Message) -> str:
    lines = message.lines()
    attached = [one.name for one in message.attachments()]
    blocks = format_mail(message.heads(), lines, attached) if any(line.strip() for line in lines) else ()
    return "\n".join(block.text for block in blocks)
