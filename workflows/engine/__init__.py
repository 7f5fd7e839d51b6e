"""What drives a run from step to step: Step Functions or messages, tokens, one step, fan-out, external jobs."""
