"""Entities of test sets and experiments: documents with known answers, and what variants made of them."""

from config.table.keys import Entity, names

TEST_SET = Entity(
    "countersign", "TestSet", "testsets#{project_id}", "testset#{testset_id}",
    attributes=names(
        "testset_id name status version sha256 tuning held_back message pending created_at updated_at updated_by"
    ),
    note="status building|ready|failed; its answers lie with the documents in S3",
)  # fmt: skip
TEST_SET_VERSION = Entity(
    "countersign", "TestSetVersion", "testsets#{project_id}#{testset_id}", "version#{version:06d}",
    attributes=names("version sha256 tuning held_back note created_at created_by user_name"),
    note="never changed; sha256 names the list of its cases in S3",
)  # fmt: skip
