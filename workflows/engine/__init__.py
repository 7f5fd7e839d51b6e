"""The engine that drives runs: Step Functions or messages, task tokens, fan-out, external jobs and repairs."""
