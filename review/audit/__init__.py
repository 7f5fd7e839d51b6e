"""The audit trail: changes of settings, document activity, decisions and lineage in time order."""
