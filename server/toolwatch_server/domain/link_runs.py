"""Which spans speak of one run of a tool: client and server, a step and the tool in it, two instrumentations.

They lie inside one another, name the same tool, and no model or agent is between them: an agent that is used
as a tool, and uses tools itself, makes calls of its own.
"""

from collections import defaultdict
from dataclasses import replace

from toolwatch_server.domain.clues import Clue, ToolRun
from toolwatch_server.domain.link_model import Execution, merged_error
from toolwatch_server.domain.link_tree import Tree


def executions_of(tree: Tree) -> tuple[Execution, ...]:
    """Oldest first."""
    runs = {clue.span_id: clue for clue in tree.clues if clue.run is not None}
    inside: dict[str, list[Clue]] = defaultdict(list)
    outer: list[Clue] = []
    for clue in runs.values():
        around = _around(clue, tree, runs)
        if around is None:
            outer.append(clue)
        else:
            inside[around.span_id].append(clue)
    return tuple(_execution(clue, inside, tree) for clue in outer)


def _around(clue: Clue, tree: Tree, runs: dict[str, Clue]) -> Clue | None:
    """The span of the same run right around this one."""
    for span_id in tree.ancestors(clue.span_id):
        other = runs.get(span_id)
        if other is not None:
            in_circle = clue.span_id in tree.ancestors(span_id)
            return other if _same(other, clue) and not in_circle else None
        if any(c.agent or c.turn is not None for c in tree.by_span.get(span_id, ())):
            return None
    return None


def _same(outer: Clue, inner: Clue) -> bool:
    a, b = outer.run, inner.run
    if a is None or b is None or a.tool is None or a.tool != b.tool:
        return False
    return a.tool_call_id is None or b.tool_call_id is None or a.tool_call_id == b.tool_call_id


def _execution(outer: Clue, inside: dict[str, list[Clue]], tree: Tree) -> Execution:
    clues, waiting = [outer], [outer]
    while waiting:
        below = inside.get(waiting.pop().span_id, [])
        clues += below
        waiting += below
    own = [clue for clue in clues if clue.run is not None and not clue.run.step]
    clues = [*own, *(clue for clue in clues if clue not in own)]  # the tool's span, not the step around it
    said = [clue.run for clue in clues if clue.run is not None]
    whole = said[0] if len(said) == 1 else _merged(said, _last_inward(outer, inside))
    return Execution(clues=tuple(clues), path=tree.path(clues[0].span_id), said=whole)


def _last_inward(outer: Clue, inside: dict[str, list[Clue]]) -> list[ToolRun]:
    """From the outermost to the innermost, always the last that was started: what counts in the end."""
    chain, clue = [], outer
    while True:
        if clue.run is not None:
            chain.append(clue.run)
        below = inside.get(clue.span_id)
        if not below:
            return chain
        clue = below[-1]


def _merged(said: list[ToolRun], chain: list[ToolRun]) -> ToolRun:
    failed = next((run for run in reversed(chain) if run.outcome != "ok"), None)
    kinds = [run.outcome for run in chain if run.outcome not in ("ok", "tool_error")]
    outcome = "ok" if failed is None else (kinds[-1] if kinds else failed.outcome)
    errors = [run.error for run in chain if run.error is not None]
    named = next((run for run in said if run.arguments is not None and not run.sole_argument), None)
    given = named or next((run for run in said if run.arguments is not None), said[0])
    marks = tuple(dict.fromkeys(mark for run in said for mark in run.redactions))
    return replace(
        said[0],
        tool_call_id=next((run.tool_call_id for run in said if run.tool_call_id is not None), None),
        arguments=given.arguments,
        sole_argument=given.sole_argument,
        result=next((run.result for run in said if run.result is not None), None),
        outcome=outcome,
        error=None if outcome in ("ok", "interrupted") else merged_error(errors),
        interrupt=next((run.interrupt for run in chain if run.interrupt is not None), None),
        redactions=marks,
    )
