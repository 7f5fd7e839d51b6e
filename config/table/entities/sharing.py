"""Entities of seed 002 for shares: documents shown to people who do not work on them."""

from config.table.keys import Entity, names

SHARE = Entity(
    "document_management", "Share", "shares#{principal_type}#{name}", "share#{site_id}#{document_id}",
    attributes=names("documentId type inserteddate userId path name siteId permissionType permissions"),
    note="principal_type group|user, and link of a link, whose name is the share's id",
)  # fmt: skip
DOCUMENT_SHARE = Entity(
    "document_management", "DocumentShare", "shares#{document_id}", "share",
    gsi1pk="share#{name}", gsi1sk="share#{path}#{document_id}",
    attributes=names(
        "documentId sharedDocumentId name type inserteddate userId path siteId permissionType permissions"
    ),
    note="document_id is the share's own; of a link the hashes of its secret and password, never these",
)  # fmt: skip
DOCUMENT_SYNC = Entity(
    "document_management", "DocumentSync", "docs#{document_id}", "syncs#{datetime}",
    gsi1pk="doc#syncs#{service}#{status}#", gsi1sk="sync#{type}#{datetime}#{document_id}",
    attributes=names("documentId service syncDate userId status type message"),
    note="GSI1 while it has not arrived",
)  # fmt: skip
# Further ways to rows that left an index free.
SHARE_BY_DATE = Entity(
    "countersign", "ShareByDate", "shares#{principal_type}#{name}", "share#{site_id}#{document_id}",
    gsi1pk="shares#", gsi1sk="{datetime}#{share_id}",
    note="GSI1 of Share: all of a site",
)  # fmt: skip
SHARE_OF_DOCUMENT = Entity(
    "countersign", "ShareOfDocument", "shares#{document_id}", "share",
    gsi2pk="shares#of#{shared_document_id}", gsi2sk="{datetime}#{document_id}",
    note="GSI2 of DocumentShare: all of a document or a folder",
)  # fmt: skip
DOCUMENT_PUBLICATION = Entity(
    "document_management", "DocumentPublication", "docs#{document_id}", "publication",
    attributes=names("path contentType s3Version documentId userId"),
    note="gone when it is withdrawn",
)  # fmt: skip
