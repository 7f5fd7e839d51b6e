"""Key templates of every entity, one module for each part of the system."""
