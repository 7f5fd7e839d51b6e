"""A document in its project and its runs: the read models of seed 000."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute

from config.item import Item, map_attribute


class ProjectDocument(Item):
    """A document as its project lists it, newest first in GSI1; in GSI2 all of a site by status."""

    data = map_attribute()
    hidden = map_attribute(null=True)  # its place in the list and its status, while the document is deleted
    name = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    outcome = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    current_step = UnicodeAttribute(null=True)  # the one at which its run waits for a person, while it does
    file_type = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)
    page_count = NumberAttribute(null=True)
    runs = UnicodeSetAttribute(null=True)  # of the content, where there are several beside each other
    decided = UnicodeAttribute(
        null=True
    )  # the run whose result a person decided or chose, while that is the document's
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def counts(self) -> str:
        """The run whose result is the document's; while another is under way, the one that a person decided."""
        return str((None if self.outcome else self.decided) or self.workflow_id or "")


class ProjectWorkflow(Item):
    """A run as its project lists it."""

    data = map_attribute()
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()


class DocumentWorkflow(Item):
    """A run of a document, with the settings frozen at its start."""

    data = map_attribute()
    settings = UnicodeAttribute(null=True)  # JSON of RunSettings: what was configured when the run began
    definition = UnicodeAttribute(null=True)  # the pinned version, for lists; absent in runs of the first
    follows = UnicodeAttribute(null=True)  # the document's run before this one, of an earlier content
    beside = UnicodeAttribute(null=True)  # the run of the same content that this one took the first steps from
    began_at = UnicodeAttribute(null=True)  # the name of the first step that it does itself, if it is not the first
    layers = UnicodeAttribute(null=True)  # JSON of workflows.runs.run_files.Layers: where its artifacts lie
    s3version = UnicodeAttribute(null=True)  # the content that the run reads, whatever is uploaded later
    project_name = UnicodeAttribute(null=True)
    micros = NumberAttribute(null=True)  # what its steps cost, retries included, in millionths of a dollar
    unpriced = NumberAttribute(null=True)  # steps that used what has no price
    routing = UnicodeAttribute(null=True)  # JSON of workflows.rules.routing.Routing: what the rules said at the start
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()
