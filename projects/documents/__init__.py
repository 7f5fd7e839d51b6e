"""Documents: lists, tags, attributes, activity, counters, deletion."""
