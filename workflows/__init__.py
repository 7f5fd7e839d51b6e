"""The journey of a document, from a file that arrives to a published result; one package a step of it."""
