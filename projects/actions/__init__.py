"""Writes, by noun; each is one conditional write or one transaction with its event."""

from projects.actions import activity as activity
from projects.actions import api_keys as api_keys
from projects.actions import attribute_definitions as attribute_definitions
from projects.actions import attributes as attributes
from projects.actions import documents as documents
from projects.actions import groups as groups
from projects.actions import metadata as metadata
from projects.actions import projects as projects
from projects.actions import queues as queues
from projects.actions import schemas as schemas
from projects.actions import sign_ins as sign_ins
from projects.actions import sites as sites
from projects.actions import tags as tags
