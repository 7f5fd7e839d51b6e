"""Entities of seed 002, document management: sites, documents, schemas, routing and audit."""

from config.table.keys import Entity, names

# --- sites and who may do what there ---------------------------------------
SITE = Entity(
    "document_management", "Site", "sites", "sites#{site_id}",
    gsi1pk="sites", gsi1sk="sites#{status}#{site_id}",
    attributes=names("siteId title status"),
    system=True,
)  # fmt: skip
SITE_GROUP = Entity(
    "document_management", "SiteGroupPermission", "sitegroups", "group#{group_name}#site#{site_id}",
    gsi1pk="sitegroups", gsi1sk="site#{site_id}#group#{group_name}",
    attributes=names("groupName siteId permissions"),
    system=True,
)  # fmt: skip
API_KEY = Entity(
    "document_management", "ApiKey", "apikeys#", "apikey#{api_key}",
    gsi1pk="{site_id}/apikeys#", gsi1sk="apikey#{name}{api_key}", gsi2pk="{site_id}/apikeys#", gsi2sk="apikey#{mask}",
    attributes=names("apiKey name userId siteId permissions"),
    note="we store a hash of the key, never the key", system=True,
)  # fmt: skip

SIGN_IN_TRIES = Entity(
    "countersign", "SignInTries", "SIGNIN#{digest}", "TRIES#{kind}",
    attributes=names("tries ends_at TimeToLive"),
    note="failed sign-ins in a while, counted under a keyed hash of account, address or both; by TTL",
    internal="whoever could look at it would learn whose account is being tried: only the sign-in page may",
    system=True,
)  # fmt: skip

ACCOUNT_SETTINGS = Entity(
    "countersign", "AccountSettings", "ACCOUNT#{user_id}", "SETTINGS",
    attributes=names("language time_zone undo_seconds updated_at"),
    note="what a person chose for all sites; read when they sign in", system=True,
)  # fmt: skip

ACCESS_REQUEST = Entity(
    "countersign", "AccessRequest", "ACCESS_REQUESTS", "PERSON#{user_id}",
    attributes=names("user_id wanted note status asked_at decided_by again_at TimeToLive"),
    note="a permission that a person asked the site's admins for; gone once given, some days after it was declined",
)  # fmt: skip

# --- documents -------------------------------------------------------------
DOCUMENT = Entity(
    "document_management", "Document", "docs#{document_id}", "document",
    gsi1pk="{date}", gsi1sk="{datetime}#{document_id}",
    attributes=names(
        "documentId inserteddate lastModifiedDate userId path deepLinkPath metadata contentType contentLength "
        "checksum checksumType s3version"
    ),
    note="metadata keys start with md#",
)  # fmt: skip
CHILD_DOCUMENT = Entity(
    "document_management", "ChildDocument", "docs#{document_id}", "document#{child_document_id}",
    attributes=names("documentId belongsToDocumentId"),
)  # fmt: skip
SOFT_DELETED_DOCUMENT = Entity(
    "document_management", "SoftDeletedDocument", "softdelete#docs#", "softdelete#document{document_id}",
    gsi1pk="softdelete#{date}", gsi1sk="{datetime}#{document_id}",
    attributes=names(
        "documentId inserteddate lastModifiedDate userId path deepLinkPath contentType checksum tagSchemaId"
    ),
    deviation="gsi1pk: deleted documents must not mix with live ones in the index by date",
    shown_by=("documents:list-deleted", "list_deleted_documents"),
)  # fmt: skip
DOCUMENT_REMOVAL = Entity(
    "countersign", "DocumentRemoval", "docs#{document_id}", "removal",
    "removed#{state}", "{datetime_us}#{document_id}", "DUE#{shard}", "{due_at}#removal#{document_id}",
    attributes=names("documentId status name queue project_id userId user_name inserteddate purgedDate"),
    note="state deleted|purged; GSI2 while rows have yet to follow; the tombstone of a purged document",
)  # fmt: skip
DOCUMENT_UNPACKING = Entity(
    "countersign", "DocumentUnpacking", "docs#{document_id}", "unpacking",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#unpacking#{document_id}",
    attributes=names(
        "documentId project_id status root depth chosen files bytes refused skipped skipped_kinds message batch_line "
        "parts workflow_id tries lease_owner step_lease_until userId user_name inserteddate"
    ),
    note="what comes out of a mail, an archive, or a document that a reviewer split; GSI2 until all of it has",
)  # fmt: skip
DOCUMENT_OCR = Entity(
    "document_management", "DocumentOcr", "docs#{document_id}", "ocr#",
    attributes=names("documentId inserteddate userId contentType ocrEngine ocrStatus jobId ocrOutputType"),
    note="ocrStatus failed|requested|skipped|successful",
)  # fmt: skip
DOCUMENT_ACTION = Entity(
    "document_management", "DocumentAction", "docs#{document_id}", "action#{idx:04d}#{type}",
    gsi1pk="action#{type}#{queue_id}", gsi1sk="action#{document_id}#{datetime}",
    gsi2pk="actions#{status}", gsi2sk="action#{document_id}",
    attributes=names(
        "documentId type status parameters metadata userId inserteddate startDate completedDate message "
        "queueId workflowId workflowStepId workflowLastStep"
    ),
    note="GSI1 while a person is to look at it in a queue, GSI2 until it is done",
    deviation="sk: fixed width, since text order has to be number order",
)  # fmt: skip
DOCUMENT_TAG = Entity(
    "document_management", "DocumentTag", "docs#{document_id}", "tags#{tag_key}",
    gsi1pk="tag#{tag_key}#{tag_value}", gsi1sk="{datetime}#{document_id}",
    gsi2pk="tag#{tag_key}", gsi2sk="{tag_value}#{datetime}#{document_id}",
    attributes=names("documentId type tagValue userId inserteddate"),
)  # fmt: skip
DOCUMENT_TAG_VALUE = Entity(
    "document_management", "DocumentMultiValueTag", "docs#{document_id}", "tags#{tag_key}#idx{index:04d}",
    gsi1pk="tag#{tag_key}#{tag_value}", gsi1sk="{datetime}#{document_id}",
    gsi2pk="tag#{tag_key}", gsi2sk="{tag_value}#{datetime}#{document_id}",
    attributes=names("documentId type tagValue tagValues userId inserteddate"),
    deviation="sk: fixed width, since text order has to be number order",
)  # fmt: skip
DOCUMENT_ATTRIBUTE = Entity(
    "document_management", "DocumentAttribute", "docs#{document_id}", "attr#{key}#{value}",
    gsi1pk="doc#attr#{key}", gsi1sk="{value}", gsi2pk="docs#{document_id}", gsi2sk="attr#{value_type}#{key}",
    attributes=names("documentId key index valueType stringValue numberValue booleanValue"),
    note="GSI2 for watermark values only",
)  # fmt: skip
DOCUMENT_COPY = Entity(
    "countersign", "DocumentCopy", "copies#{digest}", "copy#{document_id}",
    attributes=names("documentId kind seen_at"),
    note="digest: the SHA-256 of a file, or of what an invoice is known by: supplier, number and total",
    not_shown="an index of contents, for the check that warns of a copy: the warning names the documents",
)  # fmt: skip
DOCUMENT_DIGESTS = Entity(
    "countersign", "DocumentDigests", "docs#{document_id}", "digests",
    attributes=names("digests"),
    note="under which digests the document has a DocumentCopy",
)  # fmt: skip
# Seed 002 finds documents by day, tag and attribute: further ways to rows that left an index free.
DOCUMENT_BY_STATUS = Entity(
    "countersign", "DocumentByStatus", "PROJ#{project_id}", "DOC#{document_id}",
    gsi2pk="documents#{status}", gsi2sk="{updated_at}#{document_id}",
    note="GSI2 of ProjectDocument, which every change of the status writes anyway; gone while it is deleted",
)  # fmt: skip
DOCUMENT_BY_CLASSIFICATION = Entity(
    "countersign", "DocumentByClassification", "docs#{document_id}", "document",
    gsi2pk="documents#class#{classification_id}", gsi2sk="{datetime}#{document_id}",
    note="GSI2 of Document, where it has a classification",
)  # fmt: skip
COUNTER = Entity(
    "countersign", "Counter", "counts#{kind}", "count#{counted}#{shard:04d}",
    attributes=names("in_progress waiting published rejected expired failed partial cancelled unpacked documents"),
    note="kind site|project|classification|queue; the sum over all shards counts, one shard may be below zero",
)  # fmt: skip

# --- what was: the second table --------------------------------------------
DOCUMENT_ACTIVITY = Entity(
    "document_management", "DocumentActivity", "doc#{document_id}", "activity#{datetime_us}",
    gsi1pk="activity#user#{username}", gsi1sk="activity#{datetime_us}#{document_id}",
    gsi2pk="activity#", gsi2sk="activity#{datetime_us}#{document_id}",
    attributes=names("documentId type userId versionPk versionSk inserteddate"),
    table="versions",
)  # fmt: skip
DOCUMENT_METADATA_VERSION = Entity(
    "document_management", "DocumentMetadataVersion", "docs#{document_id}", "doc#{datetime_s}",
    attributes=names("documentId path inserteddate lastModifiedDate deepLinkPath metadata"),
    table="versions",
)  # fmt: skip
DOCUMENT_VERSION = Entity(
    "document_management", "DocumentVersion", "docs#{document_id}", "document#{datetime_s}",
    attributes=names("contentType contentLength checksum checksumType s3version"),
    table="versions",
)  # fmt: skip
DOCUMENT_ATTRIBUTE_VERSION = Entity(
    "document_management", "DocumentAttributeVersion", "doc#{document_id}", "attr#{key}#{datetime_s}#{value}",
    attributes=names("archive#SK documentId key index valueType stringValue numberValue booleanValue"),
    table="versions",
)  # fmt: skip

# --- schemas ---------------------------------------------------------------
ATTRIBUTE = Entity(
    "document_management", "Attribute", "attr#{key}", "attribute",
    gsi1pk="attr#", gsi1sk="attr#{key}", gsi2pk="attr#", gsi2sk="attr#{data_type}",
    attributes=names("documentId type dataType key isInUse watermarkText"),
)  # fmt: skip
SITE_SCHEMA = Entity(
    "document_management", "SiteSchema", "schemas", "site#{entity}",
    attributes=names("name schema"),
)  # fmt: skip
SITE_COMPOSITE_KEY = Entity(
    "document_management", "SiteCompositeKey", "schemas", "compositeKey#{uuid}",
    gsi1pk="schemas#compositeKey", gsi1sk="key#{keys}",
    attributes=names("keys"),
    not_shown="one composite key apart, to find it by: show_site_schema gives all with the schema",
)  # fmt: skip
SITE_ATTRIBUTE_KEY = Entity(
    "document_management", "SiteAttributeKey", "schemas", "attr#{key}",
    gsi1pk="attr#{key}", gsi1sk="true",
)  # fmt: skip
SITE_ALLOWED_VALUE = Entity(
    "document_management", "SiteAllowedValue", "schemas", "attr#{key}#allowedvalue#{value}",
    gsi1pk="attr#{key}#allowedvalue", gsi1sk="val#{value}",
)  # fmt: skip
CLASSIFICATION = Entity(
    "document_management", "Classification", "schemas#{document_id}", "class#{entity}",
    gsi1pk="class#{entity}", gsi1sk="attr#{name}",
    attributes=names("name documentId schema"),
)  # fmt: skip
CLASSIFICATION_COMPOSITE_KEY = Entity(
    "document_management", "ClassificationCompositeKey", "schemas#{document_id}", "compositeKey#{uuid}",
    gsi1pk="schemas#compositeKey", gsi1sk="key#{keys}",
    attributes=names("documentId keys"),
)  # fmt: skip
CLASSIFICATION_ATTRIBUTE_KEY = Entity(
    "document_management", "ClassificationAttributeKey", "schemas#{document_id}", "attr#{key}",
    gsi1pk="attr#{key}", gsi1sk="true",
)  # fmt: skip
CLASSIFICATION_ALLOWED_VALUE = Entity(
    "document_management", "ClassificationAllowedValue", "schemas#{document_id}", "attr#{key}#allowedvalue#{value}",
    gsi1pk="attr#{key}#allowedvalue", gsi1sk="val#{value}",
)  # fmt: skip

# --- routing ---------------------------------------------------------------
QUEUE = Entity(
    "document_management", "Queue", "queues#{document_id}", "queue",
    gsi1pk="queues#", gsi1sk="queue#{name}#{document_id}",
    attributes=names("documentId name"),
)  # fmt: skip
RULESET = Entity(
    "document_management", "Ruleset", "rulesets", "ruleset#{status}#{priority:06d}#{ruleset_id}",
    gsi1pk="ruleset#", gsi1sk="ruleset#{ruleset_id}",
    attributes=names("documentId description version priority status"),
    deviation="sk: fixed width, since text order has to be number order",
)  # fmt: skip
RULE = Entity(
    "document_management", "Rule", "ruleset#{ruleset_id}", "rule#{rule_id}",
    gsi1pk="ruleset#{ruleset_id}", gsi1sk="rule#{priority:06d}#{rule_id}",
    attributes=names("rulesetId documentId description priority workflowId conditions status"),
    deviation="gsi1sk: fixed width, since text order has to be number order",
)  # fmt: skip
RULE_BY_STATUS = Entity(
    "document_management", "RuleByStatus", "ruleset#", "rule#{status}#{ruleset_id}#{priority:06d}#{rule_id}",
    gsi1pk="ruleset#{ruleset_id}", gsi1sk="rule#{rule_id}",
    attributes=names("as Rule"),
    deviation="sk: fixed width, since text order has to be number order",
)  # fmt: skip
FOLLOW_UP = Entity(
    "countersign", "FollowUp", "docs#{document_id}", "followup#{workflow_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#followup#{workflow_id}",
    attributes=names("documentId workflowId status due_at lease_until mapped_at message"),
    note="what is done after a publication, and when to look at it again; GSI2 while something is to be done",
)  # fmt: skip
MAPPING = Entity(
    "document_management", "Mapping", "mappings#{document_id}", "mapping",
    gsi1pk="mappings#", gsi1sk="mapping#{name}",
    attributes=names("documentId name description attributes"),
)  # fmt: skip

# --- audit -----------------------------------------------------------------
ENTITY_EVENT = Entity(
    "document_management", "EntityEvent", "entityevent#{entity_type}#{entity_id}", "ev#{timestamp}",
    gsi1pk="entityevent#{entity_type}#{entity_id}", gsi1sk="ev#{type}#{timestamp}",
    gsi2pk="entityevent#userId{user_id}", gsi2sk="ev#{timestamp}",
    attributes=names("entityType entityId type payload metadata inserteddate userId TimeToLive"),
)  # fmt: skip
