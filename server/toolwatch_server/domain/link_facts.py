"""What was found about a call, as the facts that it is computed from."""

import json
from collections.abc import Iterator

from toolwatch_server.domain.call import Redaction
from toolwatch_server.domain.clues import Asked, Clue
from toolwatch_server.domain.facts import About, Attempted, Dispatched, Fact, Requested, Shown
from toolwatch_server.domain.link_model import Execution, LinkedCall, ModelCall, Request
from toolwatch_server.domain.link_tree import Tree

CUT = "… [cut: "  # the mark of our own ingest on a text that was too long


def facts_about(call: LinkedCall, tree: Tree) -> Iterator[About]:
    """Every call of link_calls has at least one fact."""
    for fact in _facts(call):
        yield About(call_key=call.key, fact=fact)


def _facts(call: LinkedCall) -> Iterator[Fact]:
    request = call.request
    if request is not None and request.turn is not None:
        yield _requested(call, request, request.turn)
    for again in call.repeated:
        if again.turn is not None:
            yield _requested(call, again, again.turn)
    yield from (_refused(call, clue) for clue in call.refusals)
    yield from (_attempted(call, execution, how) for execution, how in call.executions)
    if call.told:
        yield _shown(call)
    elif call.listed is not None and not call.executions:
        yield _listed(call)


def _requested(call: LinkedCall, request: Request, turn: ModelCall) -> Requested:
    """A span of a model may end after the tools it asked for: asked was before they started."""
    asked, said, origin = request.asked, turn.said, turn.clue.origin
    starts = [execution.start_ns for execution, _ in call.executions if request is call.request]
    return Requested(
        fact_id=f"request:{origin.trace_id}:{origin.span_id}:{request.position}:{asked.tool_call_id or ''}",
        origin=origin,
        at_ns=max(min([turn.end_ns, *starts]), turn.start_ns),
        kind=_kind(asked, call),
        tool=asked.tool,
        tool_call_id=asked.tool_call_id,
        position=request.position,
        group_id=f"{origin.trace_id}:{origin.span_id}",
        group_size=request.group_size,
        parent_key=call.parent_key,
        arguments=asked.arguments,
        finish_reason=said.finish_reason,
        output_tokens=said.output_tokens,
        max_tokens=said.max_tokens,
        redactions=tuple(m for m in said.redactions if m.where == "arguments")
        if request.group_size == 1
        else (),
    )


def _kind(asked: Asked, call: LinkedCall) -> str:
    if asked.by_provider:
        return "provider"
    ran = any(execution.said.outcome == "ok" for execution, _ in call.executions)
    return "malformed" if not ran and _is_malformed(asked.arguments) else "model"


def _is_malformed(text: str | None) -> bool:
    if not text or CUT in text:
        return False
    try:
        json.loads(text)
    except ValueError:
        return True
    except RecursionError:
        return False
    return False


def _attempted(call: LinkedCall, execution: Execution, how: str | None) -> Attempted:
    said, origin = execution.said, execution.clues[0].origin
    arguments = None if said.sole_argument and call.request is not None else said.arguments
    return Attempted(
        fact_id=f"attempt:{origin.trace_id}:{origin.span_id}",
        origin=origin,
        attempt_span_id=execution.span_id,
        started_ns=execution.start_ns,
        ended_ns=execution.end_ns,
        tool=said.tool,
        tool_call_id=call.tool_call_id,
        parent_key=call.parent_key,
        outcome=said.outcome,
        body_ran=False if said.outcome in ("invalid_args", "unknown_tool") else None,
        arguments=arguments,
        arguments_bytes=None if arguments is None else len(arguments.encode("utf-8", "replace")),
        result=said.result if said.outcome == "ok" else None,
        result_bytes=None if said.result is None else len(said.result.encode("utf-8", "replace")),
        error=said.error,
        interrupt=said.interrupt,
        linked_by=how,
        redactions=said.redactions,
    )


def _refused(call: LinkedCall, clue: Clue) -> Dispatched:
    assert clue.refusal is not None  # noqa: S101  # only such clues are kept as refusals
    asked = call.request.asked if call.request is not None else None
    return Dispatched(
        fact_id=f"refused:{clue.origin.trace_id}:{clue.span_id}",
        origin=clue.origin,
        started_ns=clue.start_ns,
        ended_ns=clue.end_ns,
        tool=asked.tool if asked else None,
        tool_call_id=call.tool_call_id,
        parent_key=call.parent_key,
        unknown_tool=clue.refusal.kind == "unknown_tool",
        refused=clue.refusal.kind == "invalid_args",
        error=clue.refusal.error,
    )


def _shown(call: LinkedCall) -> Shown:
    """The first request that carried the answer; later ones repeat it."""
    turn, told = min(call.told, key=lambda t: (t[0].start_ns, t[0].clue.span_id))
    origin, asked = turn.clue.origin, call.recalled
    return Shown(
        fact_id=f"shown:{origin.trace_id}:{origin.span_id}:{call.tool_call_id or told.tool or ''}",
        origin=origin,
        at_ns=turn.start_ns,
        content=told.content,
        status="error" if told.failed else None,
        tool=(asked.tool if asked else None) or told.tool,
        tool_call_id=call.tool_call_id,
        arguments=asked.arguments if asked else None,
        redactions=_hidden_in(told.content, turn.clue),
    )


def _hidden_in(content: str | None, clue: Clue) -> tuple[Redaction, ...]:
    """A prompt has one account for all that it repeats: an answer's part are the marks that stand in it."""
    rules = {mark.rule for mark in clue.turn.redactions} if clue.turn is not None and content else set()
    counts = {rule: content.count(f"[{rule}]") + content.count(f"[{rule}:") for rule in rules if content}
    return tuple(Redaction(where="answer", rule=r, count=n) for r, n in sorted(counts.items()) if n)


def _listed(call: LinkedCall) -> Shown:
    assert call.listed is not None and call.request is not None  # noqa: S101, PT018  # the caller looked
    clue, told = call.listed
    return Shown(
        fact_id=f"listed:{clue.origin.trace_id}:{clue.span_id}:{call.tool_call_id or ''}",
        origin=clue.origin,
        at_ns=clue.end_ns,
        content=told.content if told is not None else None,
        status="error" if told is not None and told.failed else None,
        tool=call.request.asked.tool,
        tool_call_id=call.tool_call_id,
        arguments=call.request.asked.arguments,
    )
