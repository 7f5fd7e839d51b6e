"""AWS on a laptop: the embedded one, and the supervisor of the desk's processes."""
