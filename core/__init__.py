"""vLLM Dyno without its window: everything the program knows and does, importable and usable without Qt."""

__version__ = "0.1.0"
