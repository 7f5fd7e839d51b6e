"""Example policies to start from; each is a Rego file in this folder."""

from collections.abc import Mapping
from pathlib import Path

from config.phrase import Phrase

TITLES: Mapping[str, Phrase] = {
    "by_attribute": Phrase("By attribute: a department’s documents are for its group"),
    "by_project": Phrase("By project and group: one project is for one group"),
    "by_hour": Phrase("By hour and day: changes on working days only"),
}


def load_example(name: str) -> str:
    """Empty if there is none of that name."""
    return (Path(__file__).parent / f"{name}.rego").read_text() if name in TITLES else ""
