"""Documents as rows: lists, tags, attributes, activity, counters, deletion."""
