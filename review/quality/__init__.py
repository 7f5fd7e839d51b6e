"""Quality: second reviews by sample, what becomes of differences, and how reviewers' decisions compare."""
