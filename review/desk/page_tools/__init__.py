"""What a reviewer does on the page itself: its words and text, a region read again, a recording heard."""
