"""Language models: how each service is asked, and what a model may answer."""
