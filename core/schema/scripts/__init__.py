"""Scripts that run in the engine's own interpreter. Each stands alone: standard library and vllm only."""
