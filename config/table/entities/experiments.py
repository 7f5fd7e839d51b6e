"""Entities of test sets and experiments: documents with known answers, and the results of variants."""

from config.table.keys import Entity, names

TEST_SET = Entity(
    "countersign", "TestSet", "testsets#{project_id}", "testset#{testset_id}",
    attributes=names(
        "testset_id name status version sha256 tuning held_back seed_share message asked_at created_at updated_at "
        "updated_by"
    ),
    note="status building|ready|failed; its answers lie with the documents in S3",
)  # fmt: skip
TEST_SET_VERSION = Entity(
    "countersign", "TestSetVersion", "testsets#{project_id}#{testset_id}", "version#{version:06d}",
    attributes=names("version sha256 tuning held_back note created_at created_by user_name"),
    note="never changed; sha256 names the list of its cases in S3",
)  # fmt: skip
EXPERIMENT = Entity(
    "countersign", "Experiment", "experiments#{project_id}", "experiment#{experiment_id}",
    attributes=names(
        "experiment_id name status testset_id testset_name testset_version classification_id plan_sha256 variants "
        "lanes total answered failed removed asked tokens micros spent limit_micros results_sha256 "
        "results_progress retries message created_at created_by updated_at updated_by ended_at"
    ),
    note="counters of its cells; the plan and the results are objects in S3",
)  # fmt: skip
EXPERIMENT_LANE = Entity(
    "countersign", "ExperimentLane", "experiments#{project_id}#{experiment_id}", "lane#{lane:02d}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#experiment#{experiment_id}",
    attributes=names("project_id experiment_id lane position order_id tries lease_owner step_lease_until"),
    note="the documents whose number leaves this remainder, one cell after the other; GSI2 while there are any",
    not_shown="work to be done and how far it is: the experiment itself shows its progress",
)  # fmt: skip
EXPERIMENT_CELL = Entity(
    "countersign", "ExperimentCell", "experiments#{project_id}#{experiment_id}", "cell#{number:07d}",
    attributes=names(
        "number case variant document_id workflow_id half status judged exact tokens_in tokens_out micros ms asked "
        "created_at"
    ),
    note="one variant on one document: which fields were right, never their values; written once, again if it failed",
)  # fmt: skip
