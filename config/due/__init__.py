"""Work that must happen later: how often it was begun, whose it is now, and when it is given up."""
