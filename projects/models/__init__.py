"""The language models that a site's projects choose from: what each can do, how it is asked, what it costs."""
