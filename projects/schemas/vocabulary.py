"""What a site's documents can be asked for: attributes, classifications and composite keys, read together.

Remembered as permissions are, so that a filtered list costs what a plain one does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, CompositeKey
from projects.schemas.queries import ClassificationRow
from projects.sites import directory


@dataclass(frozen=True)
class Vocabulary:
    """``attributes`` by key, in the order of their keys."""

    attributes: Mapping[str, AttributeDefinition] = field(default_factory=dict)
    classifications: Sequence[ClassificationRow] = ()
    composite_keys: Sequence[CompositeKey] = ()

    def classification_name(self, classification_id: str) -> str:
        return next((one.name for one in self.classifications if one.id == classification_id), "")

    def label(self, key: str) -> str:
        return self.attributes[key].label if key in self.attributes else key


def get_vocabulary(site: str) -> Vocabulary:
    def read_vocabulary() -> Vocabulary:
        definitions = schema_queries.attribute_definitions(site)
        return Vocabulary(
            {one.key: one for one in definitions},
            schema_queries.all_classifications(site),
            schema_queries.all_composite_keys(site),
        )

    return directory.remember("vocabulary", site, read_vocabulary)
