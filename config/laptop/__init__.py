"""A whole desk on one laptop: the embedded AWS, the embedded model, and the supervisor of all processes."""
