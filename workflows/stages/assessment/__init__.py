"""Whether a value may be published unseen: rules of its type, proofs, and the reasons for a person to look; pure."""
