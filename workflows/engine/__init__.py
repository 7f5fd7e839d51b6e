"""What drives a run from step to step: Step Functions or messages, task tokens kept and redeemed, fan-out, jobs."""
