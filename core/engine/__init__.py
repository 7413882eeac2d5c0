"""Engine environments, their installation, and the life of a running engine."""
