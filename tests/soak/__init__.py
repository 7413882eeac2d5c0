"""Long runs in a process of their own: does it live, does its memory stay, does the window ever stand still."""
