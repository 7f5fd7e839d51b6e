"""The stages of a document's run: each is a plain function of a context."""
