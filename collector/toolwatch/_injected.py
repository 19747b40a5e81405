"""Which arguments of a tool the framework puts in itself; found once for each schema."""

import sys
from typing import Any, Final, NamedTuple

ALWAYS: Final = frozenset({"run_manager", "callbacks", "config", "runtime"})
KEPT: Final = 1_000

_known: dict[tuple[int, int], tuple[object, object, "Hidden"]] = {}


class Hidden(NamedTuple):
    names: frozenset[str]  # all that is not the model's to give
    injected: tuple[str, ...]  # those of them that the tool itself asks for


def hidden_of(tool: Any) -> Hidden:
    schema = tool.args_schema
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    place = (id(schema), id(function))
    known = _known.get(place)
    if known is not None and known[0] is schema and known[1] is function:
        return known[2]
    if len(_known) >= KEPT:
        _known.clear()
    found = _find(tool, schema)
    _known[place] = (schema, function, found)  # holding both keeps their ids from being used again
    return found


def _find(tool: Any, schema: Any) -> Hidden:
    injected = set(getattr(tool, "_injected_args_keys", ()))
    base = sys.modules.get("langchain_core.tools.base")
    annotations = getattr(base, "get_all_basemodel_annotations", None)
    is_injected = getattr(base, "_is_injected_arg_type", None)
    if annotations is not None and is_injected is not None:
        try:
            given = schema if isinstance(schema, type) else tool.get_input_schema()
            injected |= {name for name, kind in annotations(given).items() if is_injected(kind)}
        except Exception:  # a schema of another make: what the signature says has to do
            pass
    return Hidden(ALWAYS | injected, tuple(sorted(injected)))
