"""Personal data: which fields hold it, who may see it, and masking."""
