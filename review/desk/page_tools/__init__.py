"""Tools around an open review: words, regions, recordings, claim watching, position."""
