"""Writes of the engine: attempts, leases, joins, external jobs, what a person stops or resumes."""
