"""Entities of seeds 000, 001, 003 and 004: pipeline state, checkpoint, state machine, lineage and reviews."""

from config.table.keys import Entity, names

EARLIER_RUN = "wf_"  # how ids of runs begin that the seed-000 system wrote; ours are ULIDs
_DATED = "created_at updated_at"

# --- seed 000: pipeline state ------------------------------------------------
PROJECT = Entity(
    "pipeline_state", "Project", "PROJ#{project_id}", "META", "PROJECTS", "{updated_at}",
    attributes=names(
        "data.project_id data.name data.description data.status data.created_by data.language data.color "
        "data.document_prompt data.ocr_model data.ocr_options " + _DATED
    ),
)  # fmt: skip
PROJECT_DOCUMENT = Entity(
    "pipeline_state", "ProjectDocument", "PROJ#{project_id}", "DOC#{document_id}",
    "PROJ#{project_id}#DOC", "{updated_at}",
    attributes=names(
        "data.document_id data.project_id data.name data.file_type data.file_size data.status data.s3_key "
        "data.ocr_model data.ocr_options data.document_prompt data.language data.use_bda data.use_ocr "
        "data.use_transcribe data.transcribe_options data.source_url data.crawl_instruction " + _DATED
    ),
)  # fmt: skip
PROJECT_WORKFLOW = Entity(
    "pipeline_state", "ProjectWorkflow", "PROJ#{project_id}", "WF#{workflow_id}",
    attributes=names("data.file_name data.status " + _DATED),
    not_shown="the seed-000 link from a project to a run: programs find the same run at its document",
)  # fmt: skip
DOCUMENT_WORKFLOW = Entity(
    "pipeline_state", "DocumentWorkflow", "DOC#{document_id}", "WF#{workflow_id}",
    attributes=names(
        "data.project_id data.file_uri data.file_name data.file_type data.execution_arn data.status data.language "
        "data.total_segments data.preprocess data.document_prompt data.error " + _DATED
    ),
)  # fmt: skip
WEB_WORKFLOW = Entity(
    "pipeline_state", "WebWorkflow", "WEB#{document_id}", "WF#{workflow_id}",
    attributes=names("as DocumentWorkflow"), note="file_type application/x-webreq",
    not_shown="the second copy of a web page's run, for code of seed 000: show_run gives the first",
)  # fmt: skip
WORKFLOW_STEPS = Entity(
    "pipeline_state", "WorkflowSteps", "WF#{workflow_id}", "STEP", "STEP#ANALYSIS_STATUS", "{analysis_status}",
    attributes=names(
        "data.project_id data.document_id data.current_step data.segment_prep data.bda_processor data.format_parser "
        "data.paddleocr_processor data.transcribe data.webcrawler data.segment_builder data.segment_analyzer "
        "data.graph_builder data.document_summarizer " + _DATED
    ),
    note="each step map: status label started_at ended_at error (+ reason, counts); "
    "GSI1SK pending|in_progress|completed|failed",
)  # fmt: skip
SEGMENT = Entity(
    "pipeline_state", "Segment", "WF#{workflow_id}", "SEG#{segment_index:04d}",
    attributes=names("data.segment_index data.s3_key data.image_uri data.image_analysis " + _DATED),
    deviation="sk: from 10,000 on SEG#~00010000, since SEG#10000 would sort before SEG#9999",
)  # fmt: skip

QUESTION = Entity(
    "countersign", "Question", "WF#{workflow_id}", "QA#{segment_index:08d}#{qa_index:04d}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#question#{workflow_id}",
    attributes=names(
        "segment_index qa_index project_id document_id workflow_id status generation analysis_query content found "
        "source error tries lease_owner step_lease_until asked_by asked_at answered_at"
    ),
    note="what somebody asked about a page; numbers from 1 are never given twice, 0 is the page's own analysis; "
    "GSI2 until it is answered",
)  # fmt: skip

JOIN = Entity(
    "countersign", "Join", "WF#{workflow_id}", "JOIN#{stage}#{attempt}", "SLICES", "{workflow_id}#{stage}#{attempt}",
    "DUE#{shard}", "{due_at}#join#{workflow_id}",
    attributes=names(
        "step attempt slices planned sent lanes done failed error counts seen stalls created_at TimeToLive"
    ),
    note="the slices of one stage in one engine attempt; GSI1 while some wait for a slot, GSI2 while any is under way",
)  # fmt: skip

WEBHOOK_DELIVERY = Entity(
    "countersign", "WebhookDelivery", "WEBHOOKS", "DELIVERY#{datetime_us}#{delivery_id}",
    attributes=names("delivery_id url kind status message seconds document_id workflow_id created_at TimeToLive"),
    note="a call of a webhook and what came of it, newest last; by TTL",
)  # fmt: skip
SENDER_NOTICE = Entity(
    "countersign", "SenderNotice", "WF#{workflow_id}", "NOTICE#{attempt}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#notice#{workflow_id}",
    attributes=names("project_id document_id workflow_id attempt outcome status tries message " + _DATED),
    note="the sender of a document is told that an attempt of its run ended without a publication; GSI2 until he is",
    internal="work to be done once: what came of it is an event of the run, in its history",
)  # fmt: skip

# --- seed 001: the checkpoint of a paused run --------------------------------
REVIEW_CHECKPOINT = Entity(
    "review_checkpoint", "ReviewCheckpoint", "{document_id}", "REVIEW",
    attributes=names("document_id sk tenant_id status warranty_state created_at TimeToLive"),
    note="status pending_review|approved|rejected; warranty_state = the whole paused state as JSON",
    deviation="attributes: one TTL attribute, TimeToLive, for the whole table",
    not_shown="the paused state that the engine resumes from: its review is shown instead",
)  # fmt: skip

# --- seed 003: definitions and executions ------------------------------------
DEFINITION = Entity(
    "state_machine", "Workflow", "WORKFLOW#{workflow_id}", "#METADATA",
    attributes=names("workflowId name version status description createdAt updatedAt"),
    note="a version lives at <name>.v<n>, the family's head (active version) at <name>",
)  # fmt: skip
DEFINITION_STEP = Entity(
    "state_machine", "Step", "WORKFLOW#{workflow_id}", "STEP#{step_order:04d}",
    attributes=names("workflowId stepOrder name type config timeoutMin"),
    deviation="sk: STEP#10 would sort before STEP#2",
)  # fmt: skip
LISTED_DEFINITION = Entity(
    "document_management", "WorkflowDefinition", "workflows#{document_id}", "workflow",
    gsi1pk="workflows#", gsi1sk="workflow#{name}#{document_id}",
    gsi2pk="workflows#", gsi2sk="workflow#{status}#{name}#{document_id}",
    attributes=names("documentId name inUse status description userId json"),
    note="a definition composed on a page; json: the plan of its next version, document_id: its name",
)  # fmt: skip
DEFINITION_DOCUMENT = Entity(
    "document_management", "WorkflowDocument", "wfdoc#{document_id}", "wf#{workflow_id}",
    gsi1pk="wfdoc#{document_id}", gsi1sk="wf#{workflow_name}#{workflow_id}",
    gsi2pk="wf#{workflow_id}", gsi2sk="wfdoc#{document_id}",
    attributes=names("documentId workflowId workflowName status actionPk actionSk currentStepId"),
    note="workflow_id is the family's name; GSI2 while a run of it is under way; without GSI1, since the partition "
    "itself lists a document's",
)  # fmt: skip
EXECUTION = Entity(
    "state_machine", "Execution", "EXECUTION#{execution_id}", "#METADATA",
    "WORKFLOW#{workflow_id}", "EXECUTION#{execution_id}", "DUE#{shard}", "{due_at}#run#{execution_id}",
    attributes=names("executionId workflowId status currentStep triggeredBy createdAt updatedAt"),
    deviation="gsi2: the due index, which the seeds do not have",
)  # fmt: skip
TRANSITION = Entity(
    "state_machine", "Transition", "EXECUTION#{execution_id}", "TRANSITION#{transition_id}",
    attributes=names("fromStep toStep result data occurredAt"),
)  # fmt: skip

# --- seed 004: lineage and reviews -------------------------------------------
DOCUMENT_EVENT = Entity(
    "event_pipeline", "DocumentEvent", "DOC#{document_id}", "EVENT#{datetime_us}#{event_type}",
    gsi1pk="EVENTS#{date}", gsi1sk="{datetime_us}#{event_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#event#{event_id}",
    attributes=names("correlationId bucket key version executionArn jobId status retryCount reviewer decision"),
    note="GSI1 if it is told outside, by day; GSI2 only while it has yet to be put on the bus",
    deviation="gsi1: what is told outside, in the order of time; gsi2: the due index, while it has yet to be published",
)  # fmt: skip
REVIEW = Entity(
    "event_pipeline", "ReviewTask", "DOC#{document_id}", "REVIEW#{review_id}",
    "REVIEWS#{queue}", "{deadline}#{review_id}", "DUE#{shard}", "{due_at}#review#{review_id}",
    attributes=names(
        "reviewId status createdAt documentId executionArn taskToken document resultSummary reviewer reviewedAt"
    ),
    note="GSI1 while undecided, GSI2 while something has to happen at a time",
    deviation="keys: a table of its own in the seed; gsi1 is the queue by deadline, gsi2 the due index",
)  # fmt: skip
REVIEW_DECISION = Entity(
    "countersign", "ReviewDecision", "DOC#{document_id}", "REVIEW#{review_id}#DECISION#{decision_id}",
    "DECISIONS#{user_id}", "{decided_at}#{decision_id}", "DECISIONS", "{decided_at}#{decision_id}",
    attributes=names(
        "reviewId decisionId decision reviewer uri sha256 reason changes confirmed unseen decidedAt TimeToLive"
    ),
)  # fmt: skip
REVIEW_DRAFT = Entity(
    "countersign", "ReviewDraft", "DOC#{document_id}", "REVIEW#{review_id}#DRAFT#{user_id}",
    attributes=names("values confirmed reason savedAt TimeToLive"),
    shown_by=("review:show-review", "open_review"),
)  # fmt: skip
REVIEW_RESULT = Entity(
    "countersign", "ReviewResult", "DOC#{document_id}", "REVIEW#{review_id}#RESULT",
    attributes=names("body TimeToLive"),
    shown_by=("review:show-review", "open_review"),
    note="a copy of the object that the review pins, where it is small; the object is what holds",
)  # fmt: skip
REVIEW_WORK = Entity(
    "countersign", "ReviewWork", "DOC#{document_id}", "REVIEW#{review_id}#WORK#{user_id}#{worklist}",
    "WORK#{user_id}#{worklist}", "{at}#{review_id}", "WORK", "{worklist}#{user_id}#{review_id}",
    attributes=names("document_id created_at TimeToLive"),
    note="a pointer to a review in a person's own list; where they differ, what the review says holds; GSI2: a site's",
)  # fmt: skip
SAVED_VIEW = Entity(
    "countersign", "SavedView", "VIEWS#{user_id}", "VIEW#{view_id}",
    attributes=names("name queue filters created_at"),
    note="filters and order of a queue that a person saved under a name; the id is made of the name",
)  # fmt: skip
REVIEW_MESSAGE = Entity(
    "countersign", "ReviewMessage", "DOC#{document_id}", "REVIEW#{review_id}#MESSAGE#{message_id}",
    attributes=names("kind text by_id by_name to_ids to_name about at answer answered_by answered_at ended TimeToLive"),
    note="a comment on a review, or a question about it with its answer, the oldest first",
)  # fmt: skip
REVIEW_CHECK = Entity(
    "countersign", "ReviewCheck", "DOC#{document_id}", "REVIEW#{review_id}#CHECK",
    "DISPUTES#{queue}", "{disputed_at}#{review_id}", "DUE#{shard}", "{due_at}#check#{review_id}",
    attributes=names(
        "review_id status of_queue name project_id project_name document_id workflow_id barred reasons "
        "first_decision_id first_decision first_id first_name first_uri first_sha256 second_decision second_id "
        "second_name second_uri second_sha256 outcome outcome_uri outcome_sha256 judge_id judge_name judged_at wrong"
    ),
    note="a decided review that a second person reviews too, and what came of it; GSI1 while the two differ, "
    "GSI2 until the second review is open",
)  # fmt: skip
QUALITY_FIGURES = Entity(
    "countersign", "QualityFigures", "quality#{kind}#{counted}", "month#{month}#{user_id}",
    attributes=names("user_name"),
    note="how a reviewer's decisions of a month compare with second reviews, a number each; kind site|project",
)  # fmt: skip
NOTIFICATION = Entity(
    "countersign", "Notification", "PERSON#{user_id}", "NOTIFICATION#{notification_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#notification#{notification_id}",
    attributes=names(
        "kind event_id by_name document_id review_id project_id read_at status due_at tries created_at TimeToLive"
    ),
    note="one thing to tell a person, in the page and by mail; GSI2 until the mail is sent or dropped",
)  # fmt: skip
NOTIFICATION_CHOICE = Entity(
    "countersign", "NotificationChoice", "PERSON#{user_id}", "NOTIFICATIONS",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#digest#{user_id}",
    attributes=names("user_id kinds web_off updated_at"),
    note="what a person wants to be told by mail and in the page; GSI2 for the daily digest",
)  # fmt: skip
CHAT_WEBHOOK = Entity(
    "countersign", "ChatWebhook", "CHAT", "WEBHOOK",
    attributes=names("url kinds updated_at"),
    note="where a chat tool of the site takes messages",
)  # fmt: skip
CALIBRATION = Entity(
    "countersign", "Calibration", "PROJ#{project_id}", "CALIBRATION#{version:06d}",
    attributes=names("version sha256 documents summary created_at created_by activated_at activated_by"),
    note="what a project's reviews taught about confidence; never changed but for who activated it last",
    shown_by=("", "list_calibrations"),
)  # fmt: skip
REVIEW_COLLECTION = Entity(
    "countersign", "ReviewCollection", "PROJ#{project_id}", "REVIEW_COLLECTION",
    attributes=names("status order_id asked_at message"),
    note="the last collecting of reviews for the threshold simulator: collecting|done|failed; S3 has what was found",
)  # fmt: skip
EXTRACTOR = Entity(
    "countersign", "Extractor", "PROJ#{project_id}", "EXTRACTOR#{version:06d}",
    attributes=names("version sha256 documents summary created_at created_by activated_at activated_by"),
    note="what a project's reviews taught of where values stand; never changed but for who activated it last",
    shown_by=("", "list_extractors"),
)  # fmt: skip
FILLING = Entity(
    "countersign", "Filling", "FILL#{project_id}", "KIND#{kind}",
    attributes=names("began done updated_at"),
    note="how far manage.py fill came with invented rows",
    internal="only a developers' command reads and writes it: nothing of the product does",
)  # fmt: skip
INCOMING_FILE = Entity(
    "countersign", "IncomingFile", "INGEST#{digest}", "META", "QUARANTINE#{site_id}", "{at}#{digest}",
    attributes=names("s3_key s3version name tenant status message siteId project_id document_id file_size created_at"),
    note="one version of an object that another system put into the bucket: taken once, or in quarantine (GSI1)",
    system=True,
)  # fmt: skip
ARRIVAL_BEGIN = Entity(
    "countersign", "ArrivalBegin", "INGEST#{digest}", "BEGUN#{by}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#arrival#{digest}",
    attributes=names("s3_key s3version file_size tries lease_owner step_lease_until TimeToLive"),
    note="how often workers began to look at such a file; by: the line of a batch, or the bucket, whose row is in GSI2 "
    "until the file is taken or in quarantine",
    system=True,
    not_shown="a lease and a count of tries: what came of it is a document, or a file in quarantine",
)  # fmt: skip
INCOMING_ORIGIN = Entity(
    "countersign", "IncomingOrigin", "docs#{document_id}", "incoming",
    attributes=names("digest"),
    note="the arrival that a document was made of, so that a purge destroys the object too",
)  # fmt: skip
INCOMING_TENANT = Entity(
    "countersign", "IncomingTenant", "INGEST", "TENANT#{name}",
    attributes=names("siteId project_id project_name updated_by updated_at"),
    note="whose documents lie under a folder of the bucket's raw/", system=True,
)  # fmt: skip
SPENDING = Entity(
    "countersign", "Spending", "costs#{month}", "cost#{project_id}#{service}#{name}#{shard:04d}",
    attributes=names("project_id service model steps pages calls tokens_in tokens_out ms micros unpriced"),
    note="what a project's runs used of a service and a model in a month; the sum over all shards counts",
)  # fmt: skip
PROVIDER_STATE = Entity(
    "countersign", "ProviderState", "PROVIDERS", "PROVIDER#{provider}",
    attributes=names(
        "provider failures openings message failed_at refused_at worked_at opened_at open_until probe_until"
    ),
    note="circuit breaker of an outside service; one account's limits hold for every site", system=True,
)  # fmt: skip
WORKER_STALL = Entity(
    "countersign", "WorkerStall", "WORKERS", "QUEUE#{queue}",
    attributes=names("queue stalls waiting stalled_at"),
    note="workers that took nothing from a queue that was not empty, and ended themselves", system=True,
)  # fmt: skip
WORKER = Entity(
    "countersign", "Worker", "WORKERS", "WORKER#{worker}",
    attributes=names("worker queues started_at seen_at taken rate waited busy slots TimeToLive"),
    note="a worker's sign of life, once a minute; the row goes by TTL an hour after the last", system=True,
)  # fmt: skip
REPAIR = Entity(
    "countersign", "Repair", "WORKERS", "REPAIR#{kind}",
    attributes=names("kind repairs repaired_at site_id document_id workflow_id"),
    note="how often work of a kind was taken up again, and what last", system=True,
)  # fmt: skip
STORAGE = Entity(
    "countersign", "Storage", "WORKERS", "STORAGE",
    attributes=names("measured_at rows row_bytes old_rows old_row_bytes disk_free disk_bytes"),
    note="how large the tables are, and the disk of the machine that looked; every ten minutes", system=True,
)  # fmt: skip
QUEUE_DEPTHS = Entity(
    "countersign", "QueueDepths", "WORKERS", "DEPTHS",
    attributes=names("counted_at waiting dead"),
    note="how many messages waited in each queue and its dead letters, as JSON; every minute", system=True,
)  # fmt: skip

# --- what was: the second table ----------------------------------------------
AUDIT_LINE = Entity(
    "countersign", "AuditLine", "audit#", "ev#{timestamp}#{entity_type}#{entity_id}",
    attributes=names("entityType entityId type payload userId user_name inserteddate"),
    note="every EntityEvent of a site in the order of time, which the seed's keys cannot answer", table="versions",
)  # fmt: skip
