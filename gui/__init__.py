"""The window of vLLM Dyno. It shows and asks; decisions are taken in `core`."""
