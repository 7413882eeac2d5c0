"""The command-line twin of everything the window does."""
