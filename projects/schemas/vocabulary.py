"""A site's searchable vocabulary: attributes, document types and composite keys.

Cached like permissions, so that a filtered list costs no more than a plain one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from projects.schemas import queries as schema_queries
from projects.schemas.governing import AttributeDefinition, CompositeKey
from projects.schemas.labels.reading import Labels, isolate
from projects.schemas.queries import ClassificationRow
from projects.sites import directory


@dataclass(frozen=True)
class Vocabulary:
    """``attributes`` by key, in key order."""

    attributes: Mapping[str, AttributeDefinition] = field(default_factory=dict)
    classifications: Sequence[ClassificationRow] = ()
    composite_keys: Sequence[CompositeKey] = ()

    def classification_name(self, classification_id: str) -> str:
        return next((one.name for one in self.classifications if one.id == classification_id), "")

    def in_language(self, labels: Labels) -> "Vocabulary":
        """Translate with these labels; keys and their order stay."""
        if not labels:
            return self
        return replace(
            self,
            attributes={key: labels.name_definition(one) for key, one in self.attributes.items()},
            classifications=[replace(one, name=labels.name_type(one.id, one.name)) for one in self.classifications],
        )

    def label(self, key: str) -> str:
        """The label within a sentence."""
        return isolate(self.attributes[key].label) if key in self.attributes else key


def get_vocabulary(site: str) -> Vocabulary:
    def read_vocabulary() -> Vocabulary:
        definitions = schema_queries.attribute_definitions(site)
        return Vocabulary(
            {one.key: one for one in definitions},
            schema_queries.all_classifications(site),
            schema_queries.all_composite_keys(site),
        )

    return directory.remember("vocabulary", site, read_vocabulary)
