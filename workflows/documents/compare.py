"""Comparison of two results of a document: the values that differ, and the settings of their runs. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from config.phrase import Figure, Phrase, join_phrases
from projects.models.ocr_words import describe_ocr
from projects.settings.values import ANALYZERS, LANGUAGES, MODEL_USES, SUMMARIZERS, TRANSCRIBERS, TYPINGS
from workflows.stages import results
from workflows.stages.base import RunSettings
from workflows.stages.document_types import of_result

Fields = Sequence[Mapping[str, Any]]
# The source shown after a value that has no confidence.
_SURE = {
    "reviewer": Phrase("reviewer"),
    "default": Phrase("schema default"),
    "embedded_xml": Phrase("embedded XML"),
}
_NONE = Phrase("none")


class Verdict(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Cell:
    """One result's value for a field, with its confidence (percent, or its source) and page (0-based)."""

    value: str
    sure: str
    page: int | None


@dataclass(frozen=True)
class Row:
    """``left`` or ``right`` is None if that result does not read the field."""

    name: str
    label: str
    verdict: Verdict
    left: Cell | None
    right: Cell | None


@dataclass(frozen=True)
class Setting:
    label: str
    left: str
    right: str


def compare_fields(left: Fields, right: Fields) -> list[Row]:
    """Compare two results: the left one's fields in their order, then those that only the right one has.

    >>> one = [{"name": "total", "label": "Total", "type": "amount", "value": "4.00", "confidence": 0.937}]
    >>> row = compare_fields(one, [{**one[0], "value": "4.0"}])[0]
    >>> row.verdict.value, row.left.sure
    ('same', '93 %')
    """
    here, there = ({str(one["name"]): one for one in fields} for fields in (left, right))
    return [_row(name, here.get(name), there.get(name)) for name in dict.fromkeys([*here, *there])]


def fields_of(result: Mapping[str, Any]) -> Fields:
    """Return a result's fields, after its document type if that was found."""
    kind = of_result.type_entry(result)
    if kind is None:
        return list(result["fields"])
    name = str(kind["name"]) if kind["id"] else of_result.NONE
    said = {"confidence": kind["confidence"], "source": kind["source"], "page": None}
    return [{"name": of_result.KEY, "label": Phrase("Document type"), "value": name, **said}, *result["fields"]]


def _row(name: str, left: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> Row:
    known: Mapping[str, Any] = left or right or {}
    verdict = Verdict.CHANGED
    if left is None or right is None:
        verdict = Verdict.RIGHT if left is None else Verdict.LEFT
    elif _normal(left) == _normal(right):
        verdict = Verdict.SAME
    return Row(name, str(known.get("label") or name), verdict, _cell(left), _cell(right))


def _normal(one: Mapping[str, Any]) -> str:
    value = one.get("value")
    return results.normalise_value(str(one.get("type") or "text"), None if value is None else str(value))


def _cell(one: Mapping[str, Any] | None) -> Cell | None:
    if one is None:
        return None
    value, page = str(one.get("value") or ""), one.get("page")
    share = one.get("confidence")
    # Rounded down: a value below the threshold must not look as if it met it.
    sure = _SURE.get(str(one.get("source"))) or ("" if share is None else f"{int(float(share) * 100 + 1e-9)} %")
    return Cell(value, sure, None if page is None else int(page)) if value else Cell("", "", None)


def settings_that_differ(left: RunSettings, right: RunSettings) -> list[Setting]:
    return [
        Setting(label, here, there)
        for (label, here), (_, there) in zip(_describe_settings(left), _describe_settings(right), strict=True)
        if here != there
    ]


def _describe_settings(one: RunSettings) -> list[tuple[str, str]]:
    """List every setting that can affect a result, in words."""
    version = Phrase("%(name)s, v%(version)s").fill(name=one.classification_name, version=one.classification_version)
    thresholds = [Phrase("default %(share)s").fill(share=_percent(one.default_threshold))]
    thresholds += [
        Phrase("%(field)s %(share)s").fill(field=spec.label, share=_percent(spec.threshold)) for spec in one.fields
    ]
    types = Phrase("list …%(end)s").fill(end=one.types_sha256[-6:]) if one.types_sha256 else _NONE
    calibration = f"v{one.calibration_version}" if one.calibration_version else Phrase("default")
    return [
        (Phrase("Instruction"), one.instruction or _NONE),
        (Phrase("Field extraction"), ANALYZERS.get(one.analyzer, one.analyzer)),
        (Phrase("Summary"), SUMMARIZERS.get(one.summarizer, one.summarizer)),
        *((label, one.models.get(use, _NONE)) for use, label in MODEL_USES.items()),
        (Phrase("Document type"), version if one.classification_id else _NONE),
        (Phrase("Fields"), ", ".join(spec.label for spec in one.fields) or _NONE),
        (Phrase("Required fields"), ", ".join(spec.label for spec in one.fields if spec.required) or _NONE),
        (Phrase("Thresholds"), join_phrases(thresholds)),
        (Phrase("Document type detection"), TYPINGS.get(one.typing, Phrase("Set by the project"))),
        (Phrase("Types to find"), types),
        (Phrase("Confidence calibration"), calibration),
        (Phrase("Extractor"), f"v{one.extractor_version}" if one.extractor_version else _NONE),
        (Phrase("Project prompt"), one.document_prompt or _NONE),
        (Phrase("Language"), LANGUAGES.get(one.language, one.language)),
        (Phrase("Bedrock Data Automation"), Phrase("used") if one.use_bda else Phrase("not used")),
        (Phrase("OCR"), one.ocr_spec.name),
        (Phrase("OCR settings"), join_phrases(described) if (described := [*describe_ocr(one.ocr_spec)]) else _NONE),
        (Phrase("Transcription"), TRANSCRIBERS.get(one.transcriber, one.transcriber)),
    ]


def _percent(share: float) -> Figure:
    return Figure(f"{share * 100:g} %")
