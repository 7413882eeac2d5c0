"""Every argument of an engine, as data: asked from the engine's own parser, never written down by hand."""
