"""The filters of calls as options, shared by the commands that take them."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

FILTERS: dict[str, Any] = {
    "tool_call_id": Annotated[str | None, typer.Option(help="Exactly this id.")],
    "tool": Annotated[str | None, typer.Option(help="The tool's name.")],
    "outcome": Annotated[list[str] | None, typer.Option(help="May be given several times.")],
    "failed": Annotated[
        bool | None, typer.Option("--failed/--not-failed", help="Only failures, or only others.")
    ],
    "service": Annotated[str | None, typer.Option(help="The service's name.")],
    "environment": Annotated[str | None, typer.Option(help="The deployment environment.")],
    "thread_id": Annotated[str | None, typer.Option(help="The conversation.")],
    "trace_id": Annotated[str | None, typer.Option(help="The trace.")],
    "run_id": Annotated[str | None, typer.Option(help="The run.")],
    "error_type": Annotated[str | None, typer.Option(help="The type of the error.")],
    "warning": Annotated[str | None, typer.Option(help="A warning's code.")],
    "redaction": Annotated[str | None, typer.Option(help="A rule that hid something in the call.")],
    "min_attempts": Annotated[int | None, typer.Option(help="At least so many attempts.")],
    "min_duration_ms": Annotated[float | None, typer.Option(help="Ran at least so long.")],
    "since": Annotated[str | None, typer.Option(help="RFC 3339, or relative such as -1h.")],
    "until": Annotated[str | None, typer.Option(help="RFC 3339, or relative such as -1h.")],
    "q": Annotated[str | None, typer.Option(help="Words in arguments, results and errors.")],
}


def with_filters(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The command gets `filters`: what was given, as the API spells it; those left out it does not take."""
    options = {name: kind for name, kind in FILTERS.items() if name not in left_out}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [p for p in inspect.signature(command).parameters.values() if p.name != "filters"]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in options.items()
        ]

        def run(**given: Any) -> None:
            said = {name: given.pop(name) for name in options}
            command(
                **given, filters={name: _spelled(value) for name, value in said.items() if value is not None}
            )

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__signature__ = inspect.Signature(own + added)  # type: ignore[attr-defined]  # what Typer reads
        return run

    return decorate


def _spelled(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
