"""Models that the engine can be given: those on this machine, those used lately, and the one made from a package."""
