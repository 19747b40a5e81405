"""What is the same for every run of a tool, found once: its injected arguments, and how it is told."""

import sys
from typing import Any, Final

from toolwatch import conventions as c
from toolwatch._guard import report
from toolwatch._redact import Redaction
from toolwatch._spans import Part

ALWAYS: Final = frozenset({"run_manager", "callbacks", "config", "runtime"})
DESCRIPTION_CHARS: Final = 1024
KEPT: Final = 1_000

_known: dict[tuple[int, int], "ToolInfo"] = {}


class ToolInfo:
    """hidden: names of all arguments that are not the model's to give."""

    __slots__ = (
        "about_part",
        "description",
        "function",
        "hidden",
        "name",
        "name_part",
        "redaction",
        "schema",
        "span_name",
    )

    def __init__(self, tool: Any, function: object, injected: set[str], redaction: Redaction) -> None:
        self.name = str(tool.name)
        self.schema, self.function, self.description = tool.args_schema, function, tool.description
        self.hidden, self.redaction = ALWAYS | injected, redaction
        told = redaction.name(self.name)[0]
        self.span_name = f"execute_tool {told}"
        self.name_part = Part({c.OPERATION: c.EXECUTE_TOOL, c.TOOL_NAME: told, c.TOOL_TYPE: "function"})
        about: dict[str, Any] = {c.ARGUMENTS_INJECTED: tuple(sorted(injected))} if injected else {}
        if isinstance(self.description, str):
            about[c.TOOL_DESCRIPTION] = redaction.name(self.description)[0][:DESCRIPTION_CHARS]
        self.about_part = Part(about)

    def is_of(self, tool: Any, function: object, redaction: Redaction) -> bool:
        return (
            self.schema is tool.args_schema
            and self.function is function
            and self.name == tool.name
            and self.redaction is redaction
            and self.description is tool.description
        )


def info_of(tool: Any, redaction: Redaction) -> ToolInfo:
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    place = (id(tool.args_schema), id(function))
    known = _known.get(place)
    if known is not None and known.is_of(tool, function, redaction):
        return known
    if len(_known) >= KEPT:
        _known.clear()
    found = ToolInfo(tool, function, _injected(tool), redaction)
    _known[place] = found  # it holds both, which keeps their ids from being used again
    return found


def _injected(tool: Any) -> set[str]:
    found = set(getattr(tool, "_injected_args_keys", ()))
    base = sys.modules.get("langchain_core.tools.base")
    annotations = getattr(base, "get_all_basemodel_annotations", None)
    is_injected = getattr(base, "_is_injected_arg_type", None)
    if annotations is not None and is_injected is not None:
        schema = tool.args_schema
        try:
            given = schema if isinstance(schema, type) else tool.get_input_schema()
            found |= {name for name, kind in annotations(given).items() if is_injected(kind)}
        except Exception as fault:  # a schema of another make: what the signature says has to do
            report("reading the schema of a tool", fault)
    return found
