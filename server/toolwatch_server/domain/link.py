"""From the clues of one trace to facts about calls, for senders that do not name the calls they speak of.

A pure function of the set of clues: order of arrival plays no part. A trace is linked anew whenever more of
it has come in, and what this linking says replaces what the one before said. docs/dialects.md has the rules.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from toolwatch_server.domain.clues import Clue
from toolwatch_server.domain.link_calls import Found, calls_of
from toolwatch_server.domain.link_facts import facts_about
from toolwatch_server.domain.link_match import Requests
from toolwatch_server.domain.link_model import Elsewhere, Linked
from toolwatch_server.domain.link_names import named
from toolwatch_server.domain.link_runs import executions_of
from toolwatch_server.domain.link_tree import Tree
from toolwatch_server.domain.link_turns import requests_of, turns_of


def link(clues: Iterable[Clue], parents: Mapping[str, str], elsewhere: Sequence[Elsewhere] = ()) -> Linked:
    """clues of one trace; parents: the parent of each of its spans, as far as known.

    elsewhere: calls of other traces of the same conversation that this one may go on with.
    """
    tree = Tree.of(clues, parents)
    executions, turns = executions_of(tree), turns_of(tree)
    requests = requests_of(tree, turns, executions)
    found = Found(
        tree=tree,
        executions=executions,
        turns=turns,
        requests=requests,
        index=Requests.of(requests),
        elsewhere=tuple(sorted(elsewhere, key=lambda e: (e.at_ns, e.call_key))),
    )
    calls = calls_of(found)
    facts = tuple(about for call in calls for about in facts_about(call, tree))
    return Linked(facts=facts, names=tuple(name for call in calls if (name := named(call)) is not None))


def without(linked: Linked, told: Collection[tuple[str, str | None]]) -> Linked:
    """Without the calls, by id and tool, that our own collector reports of the same trace: it knows more."""
    ours = {
        about.call_key
        for about in linked.facts
        if (getattr(about.fact, "tool_call_id", None), getattr(about.fact, "tool", None)) in told
    }
    if not ours:
        return linked
    return Linked(
        facts=tuple(about for about in linked.facts if about.call_key not in ours),
        names=tuple(name for name in linked.names if name.call_key not in ours),
    )
