"""What a model is asked for, and which placeholders the prompt for it may use."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Purpose:
    """``placeholders``: name → what stands there when the prompt is sent. The message must use ``content``."""

    name: str
    label: str
    description: str
    placeholders: Mapping[str, str]
    content: frozenset[str]


_LANGUAGE = {"language": "Main language of the document, by its English name"}
_PROJECT = {"project_instructions": "The document prompt in the project's settings, if any"}
_PERSON = {"document_instructions": "What a person asked for this document, if anything"}
_PAGE = {"page_text": "Text of the page, between tags"}

_FIELDS = {
    "fields": "The fields to extract, one per line: name, label, type, description and examples",
    "examples": "Values of up to three other reviewed documents, between tags; kept with each run",
}

PURPOSES: Mapping[str, Purpose] = {
    one.name: one
    for one in (
        Purpose(
            "extract",
            "Extract fields",
            "Reads the fields of a page and describes it.",
            _PAGE | _FIELDS | _LANGUAGE | _PROJECT | _PERSON,
            frozenset({"page_text"}),
        ),
        Purpose(
            "classify",
            "Classify documents",
            "Finds the type of a document among the site's classifications.",
            {
                "document_text": "Text of the first pages, between tags",
                "types": "The types to choose from, one per line: ID, name and fields",
            }
            | _LANGUAGE
            | _PROJECT,
            frozenset({"document_text"}),
        ),
        Purpose(
            "summarize",
            "Summarize documents",
            "Writes the summary of a document from what its pages say.",
            {"document_text": "What the pages say, between tags"} | _LANGUAGE | _PROJECT | _PERSON,
            frozenset({"document_text"}),
        ),
        Purpose(
            "answer",
            "Answer questions",
            "Answers a person's question about a page.",
            _PAGE | {"question": "The question, between tags"} | _LANGUAGE | _PROJECT,
            frozenset({"page_text", "question"}),
        ),
    )
}
GENERAL = "general"  # the scope of documents of every classification
# Purposes that a classification can have a prompt of its own for; which type a document has is asked before it has one.
BY_TYPE = ("extract", "summarize", "answer")
_BETWEEN = "@"


def make_slug(purpose: str, type_id: str = "") -> str:
    """A prompt in addresses, and in what runs pin; ``type_id`` is empty for the general one.

    >>> make_slug("extract"), make_slug("extract", "invoice")
    ('extract', 'extract@invoice')
    """
    return f"{purpose}{_BETWEEN}{type_id}" if type_id else purpose


def read_slug(slug: str) -> tuple[str, str]:
    """The inverse of ``make_slug``."""
    purpose, _, type_id = slug.partition(_BETWEEN)
    return purpose, type_id
