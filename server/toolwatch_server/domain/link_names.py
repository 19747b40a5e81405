"""What other traces need to know of the calls of this one, to go on with them."""

from toolwatch_server.domain.facts import Origin
from toolwatch_server.domain.link_model import LinkedCall, Name, digest_of


def scope_of(origin: Origin) -> str | None:
    """Within what an id may come again: the conversation, or else the process."""
    if origin.thread_id is not None:
        return f"thread\x1f{origin.thread_id}"
    process = origin.instance_id or origin.service
    return None if process is None else f"process\x1f{process}"


def named(call: LinkedCall) -> Name | None:
    origin = _origin(call)
    scope = None if origin is None else scope_of(origin)
    if scope is None:
        return None
    asked = call.request.asked if call.request is not None else call.recalled
    runs = [execution.said for execution, _ in call.executions]
    tool = (asked.tool if asked else None) or next((run.tool for run in runs if run.tool), None)
    arguments = asked.arguments if asked else next((run.arguments for run in runs if run.arguments), None)
    return Name(
        call_key=call.key,
        scope=scope,
        at_ns=_at_ns(call),
        tool=tool,
        tool_call_id=call.tool_call_id,
        arguments=digest_of(arguments),
        open=not call.finished,
        homeless=call.request is None,
    )


def _origin(call: LinkedCall) -> Origin | None:
    if call.request is not None and call.request.turn is not None:
        return call.request.turn.clue.origin
    if call.executions:
        return call.executions[0][0].clues[0].origin
    if call.told:
        return call.told[0][0].clue.origin
    return call.listed[0].origin if call.listed is not None else None


def _at_ns(call: LinkedCall) -> int:
    times = [execution.start_ns for execution, _ in call.executions]
    if call.request is not None and call.request.turn is not None:
        times.append(call.request.turn.start_ns)
    times += [turn.start_ns for turn, _ in call.told[:1]]
    return min(times, default=0)
