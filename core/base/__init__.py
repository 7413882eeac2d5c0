"""What every layer stands on: folders, errors, the clock, atomic files, process identities."""
