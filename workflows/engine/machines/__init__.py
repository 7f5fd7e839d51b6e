"""The state machines beside the definitions': bucket ingress, batch, desk-intake."""
