"""Operations: dead letters, costs, health, deployment, processes, and the work of management commands."""
