"""The type in the analysis: which fields are read, why a person is asked, and what a model is asked first."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.tools.paper import Sheet, save
from tests.workflows.stages.memory import FIELDS, context, kept, list_reasons
from tests.workflows.stages.papers import PAPERS, default_types
from workflows.stages.base import StageContext, StageResult
from workflows.stages.document_types.types import PinnedTypes, RatedType
from workflows.stages.registry import STAGES
from workflows.stages.services import (
    PageAnswer,
    PageQuestion,
    PageReply,
    Services,
    TypeQuestion,
    TypeReply,
    UnusableAnswer,
)
from workflows.stages.usage import Usage
from workflows.storage import files


@dataclass
class Model:
    """Says what it is told to say, and remembers what it was asked."""

    shares: dict[str, float]
    asked: list[TypeQuestion] = field(default_factory=list)
    pages: list[PageQuestion] = field(default_factory=list)

    def classify(self, question: TypeQuestion) -> TypeReply:
        self.asked.append(question)
        rated = tuple(RatedType(one.id, self.shares.get(one.id, 0.0)) for one in question.types)
        none = 1 - sum(self.shares.values())
        return TypeReply(rated, none, "nova", (Usage("bedrock", "nova", calls=1, tokens_in=50, tokens_out=5),))

    def read_page(self, question: PageQuestion) -> PageReply:
        self.pages.append(question)
        used = Usage("bedrock", "nova", calls=1, tokens_in=100, tokens_out=10)
        return PageReply(PageAnswer((), "A page."), "nova", (used,))


def paper(folder: Path, *rows: str, types: PinnedTypes | None = None, **changes: Any) -> StageContext:
    sheet = Sheet(595, 842)
    for place, row in enumerate(rows):
        sheet.text(40, 50 + 20 * place, row[:100])
    ctx = context(save([sheet], folder / "a.pdf"), **changes)
    return replace(ctx, types=default_types() if types is None else types)


def run(ctx: StageContext) -> tuple[dict[str, StageResult], dict[str, Any]]:
    done = {name: stage.run(ctx) for name, stage in STAGES.items()}
    return done, kept(ctx).json(files.result("run1"))


def test_the_fields_of_the_type_that_is_found_are_read_and_the_others_lie_beside_them(tmp_path: Path) -> None:
    _, result = run(paper(tmp_path, *PAPERS["invoice"][0], typing="found"))
    book = default_types()
    assert [one["name"] for one in result["fields"]] == [spec.name for spec in book.by_id["invoice"].fields]
    kind = result["type"]
    assert (kind["id"], kind["name"], kind["version"], kind["source"]) == ("invoice", "Invoice", 1, "rules")
    assert kind["confidence"] > 0.8
    assert result["classification"] == {"id": "invoice", "name": "Invoice", "version": 1}
    assert result["document_type"] == "Invoice"
    others = {one["id"]: [spec["name"] for spec in one["fields"]] for one in kind["candidates"]}
    assert others["receipt"] == [spec.name for spec in book.by_id["receipt"].fields]
    assert others[""] == [spec.name for spec in FIELDS]


def test_a_run_without_types_reads_what_it_always_read(tmp_path: Path) -> None:
    _, result = run(paper(tmp_path, *PAPERS["invoice"][0], types=PinnedTypes(), typing="found"))
    assert "type" not in result
    assert [one["name"] for one in result["fields"]] == [spec.name for spec in FIELDS]


def test_only_the_required_fields_of_the_type_are_missed(tmp_path: Path) -> None:
    run(ctx := paper(tmp_path, *PAPERS["contract"][0], typing="found"))
    reasons = list_reasons(ctx)
    assert not [one for one in reasons if one.startswith(("Total", "Date"))]
    assert [one for one in reasons if one.startswith(("Counterparty", "Contract type"))]


def test_a_type_that_is_not_clear_is_a_reason_to_look(tmp_path: Path) -> None:
    run(ctx := paper(tmp_path, "Invoice / Receipt", "Total 9.00", typing="found"))
    assert any(one.startswith("Document type: ") and one.endswith("?") for one in list_reasons(ctx))


def test_a_document_of_no_type_is_one_only_where_the_project_requires_a_type(tmp_path: Path) -> None:
    rows = ("Minutes of the meeting", "We talked about the garden and the weather.")
    said = {}
    for typing in ("found", "required"):
        _, result = run(ctx := paper(tmp_path, *rows, typing=typing, default_threshold=0.3))
        assert (result["type"]["id"], result["classification"]) == ("", None)
        said[typing] = [one for one in list_reasons(ctx) if one.startswith("Document type")]
    assert said == {"found": [], "required": ["Document type: no match"]}


def test_a_model_is_asked_once_and_its_pages_for_the_fields_of_that_type(tmp_path: Path) -> None:
    model = Model({"contract": 0.95})
    ctx = replace(paper(tmp_path, *PAPERS["invoice"][0], typing="found"), services=Services(analyst=model))
    done, result = run(ctx)
    assert [one.id for one in model.asked[0].types] == list(default_types().by_id)
    assert "Bill to Brook Ltd" in model.asked[0].text
    assert model.pages[0].specs == default_types().by_id["contract"].fields
    assert (result["type"]["id"], result["type"]["source"], result["type"]["confidence"]) == ("contract", "nova", 0.95)
    used = {one.model: one for one in done["segment_analyzer"].used}
    assert (used["nova"].calls, used["nova"].tokens_in, used["nova"].tokens_out) == (2, 150, 15)
    before = kept(ctx).kept[files.doctype("run1")]
    STAGES["segment_analyzer"].run(ctx)
    assert (len(model.asked), kept(ctx).kept[files.doctype("run1")]) == (1, before)


@dataclass
class OddModel(Model):
    """Its answer about the type cannot be taken."""

    def classify(self, question: TypeQuestion) -> TypeReply:
        reply = super().classify(question)
        raise UnusableAnswer("types is missing or no list.", usage=reply.usage)


def test_a_type_that_the_model_did_not_tell_is_found_by_rules_and_goes_to_a_person(tmp_path: Path) -> None:
    model = OddModel({})
    ctx = replace(paper(tmp_path, *PAPERS["invoice"][0], typing="found"), services=Services(analyst=model))
    done, result = run(ctx)
    assert (result["type"]["id"], result["type"]["source"]) == ("invoice", "rules")
    asked = [one for one in default_types().by_id["invoice"].fields if one.type != "table"]  # which rules read
    assert model.pages[0].specs == tuple(asked)
    note = "The model gave no usable answer for the document type; built-in rules were used"
    assert note in list_reasons(ctx)
    assert (done["segment_analyzer"].reason, len(model.asked)) == (note, 1)
    assert [(one.model, one.tokens_in) for one in done["segment_analyzer"].used] == [("nova", 150)]


def test_a_retry_reads_the_answer_and_does_not_pay_for_it_again(tmp_path: Path) -> None:
    model = Model({"contract": 0.95})
    ctx = replace(paper(tmp_path, *PAPERS["invoice"][0], typing="found"), services=Services(analyst=model))
    run(ctx)
    again = STAGES["segment_analyzer"].run(replace(ctx, attempt=2))
    assert (len(model.asked), again.used) == (1, ())
    twice = STAGES["segment_analyzer"].run(ctx)  # the first attempt's order came twice
    assert [(one.model, one.tokens_in) for one in twice.used] == [("nova", 50)]


def test_another_text_is_asked_about_again(tmp_path: Path) -> None:
    model = Model({"invoice": 0.9})
    ctx = replace(paper(tmp_path, *PAPERS["invoice"][0], typing="found"), services=Services(analyst=model))
    run(ctx)
    stored = kept(ctx)
    segment = json.loads(stored.kept[files.segment(0)])
    segment["words"] = segment["words"][:3]
    stored.kept[files.segment(0)] = json.dumps(segment).encode()
    STAGES["segment_analyzer"].run(ctx)
    assert len(model.asked) == 2


def test_a_model_is_not_asked_for_a_type_where_there_are_none(tmp_path: Path) -> None:
    model = Model({})
    ctx = replace(paper(tmp_path, "Invoice", types=PinnedTypes()), services=Services(analyst=model))
    run(ctx)
    assert (model.asked, len(model.pages)) == ([], 1)
