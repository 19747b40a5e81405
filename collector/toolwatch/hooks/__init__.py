"""Which modules of the frameworks are hooked, and by what; each when it has been imported."""

from collections.abc import Callable, Mapping
from typing import Final

from toolwatch.hooks import lazily
from toolwatch.hooks.patches import remove_patches, take_missing


def _tools() -> None:
    from toolwatch.hooks import langchain

    langchain.install()


def _callbacks() -> None:
    from toolwatch.hooks import callbacks

    callbacks.install()


def _tool_node() -> None:
    from toolwatch.hooks import langgraph

    langgraph.install("langgraph.prebuilt.tool_node", "ToolNode")


def _tool_node_copy() -> None:
    from toolwatch.hooks import langgraph

    langgraph.install_copy()


def _loop() -> None:
    from toolwatch.hooks import langgraph

    langgraph.install_pauses()


HOOKS: Final[Mapping[str, Callable[[], None]]] = {
    "langchain_core.callbacks.manager": _callbacks,
    "langchain_core.tools.base": _tools,
    "langgraph.prebuilt.tool_node": _tool_node,
    "langchain.tools.tool_node": _tool_node_copy,
    "langgraph.pregel._loop": _loop,
}


def install(report_missing: Callable[[tuple[str, ...]], None]) -> None:
    """Now for what is imported already, and at its import for the rest. Safe to call twice."""
    lazily.install(HOOKS, lambda: _report(report_missing))


def _report(report_missing: Callable[[tuple[str, ...]], None]) -> None:
    missing = take_missing()
    if missing:
        report_missing(missing)


def remove() -> None:
    """Takes out what is still ours to take out; what somebody wrapped again becomes a pass-through."""
    lazily.remove()
    remove_patches()
