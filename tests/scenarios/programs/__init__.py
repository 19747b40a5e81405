"""Everything that can happen to one tool call, as small programs on the real LangGraph with a scripted model.

Importing this package fills SCENARIOS. A program never raises: what its caller saw is in its Outcome.
"""

from tests.scenarios.programs import (
    arguments,
    byothers,
    cancellation,
    commands,
    dispatch,
    errors,
    handmade,
    identity,
    injection,
    nesting,
    outside,
    pauses,
    plain,
    results,
    retries,
    streaming,
    unusual,
    wrappers,
)
from tests.scenarios.programs.outcome import SCENARIOS, Outcome

THEMES = (
    plain, arguments, errors, retries, pauses, commands, results, injection, dispatch, handmade, identity,
    cancellation, nesting, streaming, wrappers, outside, unusual,
    byothers,
)  # fmt: skip

__all__ = ["SCENARIOS", "THEMES", "Outcome"]
