"""Reads, by noun: one Query or one GetItem each."""

from projects.queries import api_keys as api_keys
from projects.queries import browsing as browsing
from projects.queries import counters as counters
from projects.queries import documents as documents
from projects.queries import projects as projects
from projects.queries import queues as queues
from projects.queries import removals as removals
from projects.queries import schemas as schemas
from projects.queries import sites as sites
