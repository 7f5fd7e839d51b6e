"""Writes, by noun; each is one conditional write or one transaction with its event."""

from projects.actions import projects as projects
