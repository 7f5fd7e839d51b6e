"""The foundation of every other package: settings, AWS clients, the key space, errors and time."""
