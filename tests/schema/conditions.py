"""What the engine's own classes demand or change, by name, so that a round trip can tell it from a mistake of ours.

Values come from kinds (`values.py`); here stands only what no schema can know.
"""

from fnmatch import fnmatchcase

from core.schema.model import Value

UNREADABLE = {
    "help": "prints the help and ends, so there is nothing to read back; the exit code is checked",
    "config": "is replaced by the options in the file; that they arrive is checked",
    "model": "is moved to the positional model by the parser; that it arrives there is checked",
}
"""Arguments that the parser gives no value for, and what is checked in place of it."""

_COMPANIONS: tuple[tuple[str, str, dict[str, Value]], ...] = (
    ("eplb_config", "communicator", {"use_async": False}),
    ("kv_transfer_config", "kv_connector", {"kv_role": "kv_both"}),
    ("ec_transfer_config", "ec_connector", {"ec_role": "ec_both"}),
    ("structured_outputs_config", "disable_any_whitespace", {"backend": "guidance"}),
    ("structured_outputs_config", "disable_additional_properties", {"backend": "guidance"}),
    ("profiler_config", "torch_profiler_*", {"profiler": "torch", "torch_profiler_dir": "/tmp/traces"}),
    ("profiler_config", "capture_torch_profiler", {"profiler": "torch", "torch_profiler_dir": "/tmp/traces"}),
    ("profiler_config", "proton_*", {"profiler": "proton", "proton_profiler_dir": "/tmp/traces"}),
)
"""Fields (by pattern) that the engine takes only together with others."""

_COMPANIONS_OF_VALUES: dict[tuple[str, str, Value], dict[str, Value]] = {
    ("profiler_config", "profiler", "torch"): {"torch_profiler_dir": "/tmp/traces"},
    ("profiler_config", "profiler", "proton"): {"proton_profiler_dir": "/tmp/traces"},
    ("profiler_config", "proton_output_format", "chrome_trace"): {"proton_data": "trace"},
}
"""Values that the engine takes only together with other fields."""

_VALUES: dict[tuple[str, str], list[Value]] = {
    ("compilation_config", "custom_ops"): [["+rms_norm", "none"]],
    ("attention_config", "sparse_mla_prefill_workspace_factor"): [2],
    ("kernel_config", "linear_backend_per_quant"): [{"nvfp4_w4a16": "humming"}],
    ("quantization_config", "linear"): ["mxfp8", {"weight": "fp8_per_block_static"}, {"activation": "mxfp8"}],
    ("quantization_config", "moe"): ["mxfp8", {"weight": "fp8_per_block_static"}, {"activation": "mxfp8"}],
    ("quantization_config", "targets"): [{"re:.*": "mxfp8"}],
}
"""Fields with rules of their own about what is a value."""

_CHANGED = (
    ("compilation_config", "inductor_compile_config", "the engine adds its own entries"),
    ("compilation_config", "pass_config", "the engine switches fusions off that the platform lacks"),
    ("quantization_config", "linear", "names become objects"),
    ("quantization_config", "moe", "names become objects"),
    ("attention_config", "backend", "the engine writes two names in another field"),
)
"""Fields whose value the engine changes after it has read it."""


def companions(argument: str, field: str, value: Value) -> dict[str, Value]:
    """What to set beside this field when it has this value."""
    single = value if isinstance(value, str) else ""
    found = dict(_COMPANIONS_OF_VALUES.get((argument, field, single), {}))
    for name, pattern, values in _COMPANIONS:
        if name == argument and fnmatchcase(field, pattern):
            found |= values
    return found


def own_values(argument: str, field: str) -> list[Value] | None:
    """Values for this field where its kind does not tell them."""
    return _VALUES.get((argument, field))


def changed_by_engine(argument: str, field: str) -> bool:
    """Whether the engine may change what it read."""
    return any((argument, field) == (name, changed) for name, changed, _ in _CHANGED)
