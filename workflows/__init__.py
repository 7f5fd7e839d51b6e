"""Document processing, from an arriving file to a published result. One package for each part."""
