"""Language models: clients of each service, and the schemas and validation of answers."""
