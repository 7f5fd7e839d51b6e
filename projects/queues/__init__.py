"""Queues: where documents and reviews wait for people of certain groups."""
