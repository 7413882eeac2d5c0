"""The monitor: what it computes, what it shows, what it does with mouse and keys."""
