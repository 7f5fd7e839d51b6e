"""Pages of quality: differences to resolve, and how reviewers compare."""
