"""What an experiment compares, as values: its variants with the prompts and models that they pin; pure."""

import dataclasses
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.errors import NotFound, Refused
from projects.models.spec import ModelSpec, spec_from
from projects.prompts.book import PinnedPrompt, PromptBook, make_shipped_book
from projects.prompts.items import describe_version
from projects.prompts.prompt import Prompt
from projects.prompts.purposes import GENERAL, make_slug

PURPOSE = "extract"  # the one whose answers a test set knows
MOST_VARIANTS = 24
_LABEL = "experiment"


@dataclass(frozen=True)
class Variant:
    """``number``: from 1, as pages show it. ``threshold``: 0–1, below which a person is asked.

    ``prompt_version`` 0: the general prompt, beside those of a document type. ``takeover``: asked where ``model`` is
    less sure than its ``takeover_below``, as in runs.
    """

    number: int
    prompt_version: int
    model: ModelSpec
    threshold: float
    takeover: ModelSpec | None = None

    @property
    def settings(self) -> tuple[object, ...]:
        """All but the prompt: what two variants must have in common for their prompts to be compared."""
        after = (self.model.takeover_below, self.takeover.sha256) if self.takeover else ()
        return (self.model.sha256, self.threshold, *after)

    @property
    def version_words(self) -> str:
        return describe_version(self.prompt_version)

    @property
    def prompt_words(self) -> str:
        return f"Prompt {self.prompt_version}" if self.prompt_version else "General prompt"

    @property
    def words(self) -> str:
        """
        >>> Variant(1, 3, ModelSpec("nova", "Nova Lite", "bedrock", "m", temperature=0.2), 0.8).words
        'Prompt 3 · Nova Lite · temperature 0.2 · threshold 80 %'
        """
        settings = f"temperature {self.model.temperature:g} · threshold {round(self.threshold * 100)} %"
        return f"{self.prompt_words} · {describe_models(self.model, self.takeover)} · {settings}"


def describe_models(model: ModelSpec, takeover: ModelSpec | None) -> str:
    """For people.

    >>> describe_models(ModelSpec("a", "Nova Lite", "bedrock", "m"), ModelSpec("b", "Nova Pro", "bedrock", "n"))
    'Nova Lite, then Nova Pro below 70 %'
    """
    if takeover is None:
        return model.name
    return f"{model.name}, then {takeover.name} below {round(model.takeover_below * 100)} %"


@dataclass(frozen=True)
class Plan:
    """``prompts``: version → its text; ``classify``: by which types are found.

    ``documents``: of the test set's version, of which each variant reads all.

    ``type_id``: the document type whose prompts these are, empty for the general one. ``general``: the version of the
    general prompt that 0 stands for among a type's.
    """

    testset_id: str
    testset_version: int
    testset_sha256: str
    documents: int
    prompts: Mapping[int, Prompt]
    variants: tuple[Variant, ...]
    classify: PinnedPrompt
    type_id: str = ""
    general: int = 0

    @property
    def cells(self) -> int:
        return self.documents * len(self.variants)

    def variant(self, number: int) -> Variant:
        """Raises: NotFound."""
        if not 1 <= number <= len(self.variants):
            raise NotFound(f"This experiment has no variant {number}.")
        return self.variants[number - 1]

    def book(self, variant: Variant) -> PromptBook:
        prompt = self.prompts[variant.prompt_version]
        pinned = PinnedPrompt(prompt, variant.prompt_version, _LABEL, self.type_id or GENERAL)
        prompts = make_shipped_book().prompts
        return PromptBook({**prompts, make_slug(PURPOSE, self.type_id): pinned, "classify": self.classify})

    def to_bytes(self) -> bytes:
        told = self.classify
        stored = {
            "version": 1,
            "type": [self.type_id, self.general],
            "classify": [told.version, told.prompt.instructions, told.prompt.message],
            "testset": [self.testset_id, self.testset_version, self.testset_sha256, self.documents],
            "prompts": {number: [one.instructions, one.message] for number, one in self.prompts.items()},
            "variants": [
                [
                    one.prompt_version,
                    one.model.to_json(),
                    one.threshold,
                    one.takeover.to_json() if one.takeover else None,
                ]
                for one in self.variants
            ],
        }
        return json.dumps(stored, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def plan_from(body: bytes) -> Plan:
    """The inverse of ``to_bytes``."""
    stored: Any = json.loads(body)
    testset_id, version, sha256, documents = stored["testset"]
    prompts = {int(number): Prompt(PURPOSE, *texts) for number, texts in stored["prompts"].items()}
    variants = tuple(
        Variant(number, int(prompt), spec_from(model), float(threshold), spec_from(takeover) if takeover else None)
        for number, (prompt, model, threshold, takeover) in enumerate(stored["variants"], 1)
    )
    number, *texts = stored["classify"]
    classify = PinnedPrompt(Prompt("classify", *texts), int(number))
    type_id, general = stored["type"]
    return Plan(testset_id, int(version), sha256, int(documents), prompts, variants, classify, type_id, int(general))


def combine_variants(
    prompts: Sequence[int],
    models: Sequence[ModelSpec],
    temperatures: Sequence[float],
    thresholds: Sequence[float],
    catalogue: Iterable[ModelSpec] = (),
) -> tuple[Variant, ...]:
    """Every prompt with every model and setting; without temperatures each model keeps its own.

    ``catalogue``: the models that may take over; they keep their own temperature.

    >>> nova = ModelSpec("nova", "Nova", "bedrock", "m", temperature=0.2)
    >>> [(one.prompt_version, one.model.temperature) for one in combine_variants([3, 4], [nova], [], [0.8])]
    [(3, 0.2), (4, 0.2)]

    Raises:
        Refused: there are none, or too many.

    """
    asked = [
        dataclasses.replace(model, temperature=temperature)
        for model in models
        for temperature in (temperatures or [model.temperature])
    ]
    known = {one.id: one for one in catalogue}
    variants = tuple(
        Variant(number, prompt, model, threshold, known.get(model.takeover))
        for number, (prompt, model, threshold) in enumerate(itertools.product(prompts, asked, thresholds), 1)
    )
    if not variants:
        raise Refused("Choose at least one prompt version and one model.")
    if len(variants) > MOST_VARIANTS:
        raise Refused(f"These are {len(variants)} variants. Choose at most {MOST_VARIANTS}.")
    return variants


@dataclass(frozen=True)
class Place:
    """One variant on one document. ``case``: 0-based, in the order of the test set's version.

    ``position``: in its lane.
    """

    case: int
    variant: Variant
    position: int

    def number(self, plan: Plan) -> int:
        """Of the cell, 0-based: all variants of a document after each other."""
        return self.case * len(plan.variants) + self.variant.number - 1


def locate_cell(plan: Plan, lanes: int, number: int) -> tuple[int, int]:
    """The lane and the position of a cell: the inverse of ``find_place``.

    >>> variants = combine_variants([1, 2], [ModelSpec("n", "N", "bedrock", "m")], [], [0.8])
    >>> plan = Plan("t", 1, "", 3, {}, variants, make_shipped_book()["classify"])
    >>> [locate_cell(plan, 2, number) for number in range(6)]
    [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3)]
    """
    case, variant = divmod(number, len(plan.variants))
    step, lane = divmod(case, lanes)
    return lane, step * len(plan.variants) + variant


def find_place(plan: Plan, lanes: int, lane: int, position: int) -> Place | None:
    """The cell at a lane's ``position``, None behind its last. A document belongs to one lane with all its variants:

    two that send the same request, as those that differ in their threshold, never do so at the same time.

    >>> variants = combine_variants([1, 2], [ModelSpec("n", "N", "bedrock", "m")], [], [0.8])
    >>> plan = Plan("t", 1, "", 3, {}, variants, make_shipped_book()["classify"])
    >>> [one and (one.case, one.variant.number) for one in (find_place(plan, 2, 0, at) for at in range(5))]
    [(0, 1), (0, 2), (2, 1), (2, 2), None]
    """
    step, variant = divmod(position, len(plan.variants))
    case = lane + step * lanes
    return Place(case, plan.variants[variant], position) if case < plan.documents else None
