"""Entities of seed 002 for a site's access policy, which restricts what groups may see."""

from config.table.keys import Entity, names

OPA_POLICY = Entity(
    "document_management", "OpaPolicy", "controlpolicy#opa", "opa#full#{site_id}#policy",
    attributes=names("siteId policy type index"),
    system=True, note="index: the number of the active version, 0 while none is; newest: of the last that was saved",
)  # fmt: skip
OPA_POLICY_ITEM = Entity(
    "document_management", "OpaPolicyItem", "controlpolicy#opa", "opa#item#{site_id}#policy#{index:04d}",
    attributes=names("siteId policy type index"),
    system=True, deviation="sk: fixed width, since text order has to be number order",
    note="a version of the site's policy, which never changes but for when it was tried",
)  # fmt: skip
