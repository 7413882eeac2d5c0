"""What the person has set: one document, its undo history, and the command line made from it."""
