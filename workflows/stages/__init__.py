"""The stages of a document's run, each a plain function of a context."""
