"""How long a journey waits for what the page should show: on a machine that does other work besides, too."""

PATIENCE_MS = 20_000
