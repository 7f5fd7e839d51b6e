"""State machines that belong to no definition: bucket ingress, batch, desk-intake."""
