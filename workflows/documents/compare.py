"""Two results of one document side by side: where their values differ, and which settings of their runs do; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from projects.models.ocr_words import describe_ocr
from projects.settings.values import ANALYZERS, MODEL_USES, SUMMARIZERS, TRANSCRIBERS, TYPINGS
from workflows.stages import results
from workflows.stages.base import RunSettings
from workflows.stages.document_types import of_result

Fields = Sequence[Mapping[str, Any]]
# Whose word stands after a value, where that is no confidence.
_SURE = {"reviewer": "reviewer", "default": "schema default", "embedded_xml": "embedded XML"}


class Verdict(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Cell:
    """One result's answer for a field: its value, how sure (percent, or whose word), and its page (0-based)."""

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
    """The left result's fields in their order, then those that only the right one has.

    >>> one = [{"name": "total", "label": "Total", "type": "amount", "value": "4.00", "confidence": 0.937}]
    >>> row = compare_fields(one, [{**one[0], "value": "4.0"}])[0]
    >>> row.verdict.value, row.left.sure
    ('same', '93 %')
    """
    here, there = ({str(one["name"]): one for one in fields} for fields in (left, right))
    return [_row(name, here.get(name), there.get(name)) for name in dict.fromkeys([*here, *there])]


def fields_of(result: Mapping[str, Any]) -> Fields:
    """Its fields, and before them its type where that was found."""
    kind = of_result.type_entry(result)
    if kind is None:
        return list(result["fields"])
    name = str(kind["name"]) if kind["id"] else of_result.NONE
    said = {"confidence": kind["confidence"], "source": kind["source"], "page": None}
    return [{"name": of_result.KEY, "label": "Document type", "value": name, **said}, *result["fields"]]


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
    # Rounded down: what misses a threshold must not look as if it met it.
    sure = _SURE.get(str(one.get("source"))) or ("" if share is None else f"{int(float(share) * 100 + 1e-9)} %")
    return Cell(value, sure, None if page is None else int(page)) if value else Cell("", "", None)


def settings_that_differ(left: RunSettings, right: RunSettings) -> list[Setting]:
    return [
        Setting(label, here, there)
        for (label, here), (_, there) in zip(_describe_settings(left), _describe_settings(right), strict=True)
        if here != there
    ]


def _describe_settings(one: RunSettings) -> list[tuple[str, str]]:
    """Every setting that a result may follow from, in words."""
    classified = f"{one.classification_name}, v{one.classification_version}" if one.classification_id else "none"
    thresholds = [f"default {one.default_threshold * 100:g} %"]
    thresholds += [f"{spec.label} {spec.threshold * 100:g} %" for spec in one.fields]
    return [
        ("Instruction", one.instruction or "none"),
        ("Field extraction", ANALYZERS.get(one.analyzer, one.analyzer)),
        ("Summary", SUMMARIZERS.get(one.summarizer, one.summarizer)),
        *((label, one.models.get(use, "none")) for use, label in MODEL_USES.items()),
        ("Document type", classified),
        ("Fields", ", ".join(spec.label for spec in one.fields) or "none"),
        ("Required fields", ", ".join(spec.label for spec in one.fields if spec.required) or "none"),
        ("Thresholds", ", ".join(thresholds)),
        ("Document type detection", TYPINGS.get(one.typing, "Set by the project")),
        ("Types to find", f"list …{one.types_sha256[-6:]}" if one.types_sha256 else "none"),
        ("Confidence calibration", f"v{one.calibration_version}" if one.calibration_version else "default"),
        ("Extractor", f"v{one.extractor_version}" if one.extractor_version else "none"),
        ("Project prompt", one.document_prompt or "none"),
        ("Language", one.language),
        ("Bedrock Data Automation", "used" if one.use_bda else "not used"),
        ("OCR", one.ocr_spec.name),
        ("OCR settings", ", ".join(describe_ocr(one.ocr_spec)) or "none"),
        ("Transcription", TRANSCRIBERS.get(one.transcriber, one.transcriber)),
    ]
