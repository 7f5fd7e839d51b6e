"""Entities of prompts: a project's prompts by purpose, with all versions."""

from config.table.keys import Entity, names

PROMPT = Entity(
    "countersign", "Prompt", "prompts#{project_id}", "prompt#{purpose}#{scope}",
    attributes=names(
        "purpose scope version production candidate share labelled_at labelled_by proposal updated_at updated_by"
    ),
    note="scope is general or a classification; production and candidate are version numbers, labelled_by moved one "
    "of them last; proposal: what a second person is to confirm",
)  # fmt: skip
PROMPT_VERSION = Entity(
    "countersign", "PromptVersion", "prompts#{project_id}#{purpose}#{scope}", "version#{version:06d}",
    attributes=names("version instructions message note sha256 created_at created_by user_name"),
    note="never changed",
)  # fmt: skip
PROMPT_USE = Entity(
    "countersign", "PromptUse", "prompts#{project_id}#{purpose}#{scope}#{version:06d}",
    "run#{workflow_id}",
    attributes=names("workflow_id document_id label created_at"),
    note="which runs were given this version; ids of runs sort by time",
)  # fmt: skip
