"""What a project's reviews teach of where values stand: numbered extractors, compared, activated and pinned by runs."""
