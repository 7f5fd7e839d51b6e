"""Running the system: dead letters, costs, health, deployment, the processes, commands' work."""
