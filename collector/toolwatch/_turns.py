"""A model's turn: what it was shown, what it asked for."""

import time
from typing import Any, Final

from toolwatch import _render_several as render
from toolwatch import conventions as c
from toolwatch._capture import TEXT_CHARS
from toolwatch._failures import failure_of
from toolwatch._guard import guarded
from toolwatch._messages import asked_for, is_assistant, is_json, is_tool_answer
from toolwatch._records import Root, Run
from toolwatch._results import Shown, shown_message
from toolwatch._roots import loose_root, text_or_none
from toolwatch._runs import request
from toolwatch._session import ATTEMPT, Session
from toolwatch._steps import take_orphan

LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
REASONS: Final = ("finish_reason", "stop_reason", "done_reason")
Attributes = dict[str, Any]


class Turn:
    """What is known of a turn before it ends."""

    __slots__ = ("format", "limit", "metadata", "raw", "seen")

    def __init__(self, metadata: Attributes, limit: int | None, format_name: str | None) -> None:
        self.format = format_name  # of a structured output, which a model writes as if it were a call
        self.metadata = metadata
        self.limit = limit
        self.seen: list[tuple[str, Shown, bool]] = []
        self.raw: dict[Any, tuple[str | None, str]] = {}  # by index: id, the arguments as streamed


@guarded
def start(
    session: Session,
    *,
    run_id: Any,
    parent_id: Any,
    messages: Any,
    metadata: Attributes,
    params: Any,
    options: Any = None,
) -> None:
    up = session.registry.runs.get(parent_id)
    outer = ATTEMPT.get()
    root = up.root if up is not None else outer.root if outer is not None else None
    if root is None:
        root = loose_root(session, text_or_none(metadata.get("thread_id")))
    run = Run(
        run_id, root, up.node_run if up else None, up.graph if up else None, None, None, None, time.time_ns()
    )
    run.common = up.node_run.common if up is not None and up.node_run is not None else None
    run.model = Turn(metadata, _limit(params), _format_of(options))
    session.registry.add_run(run)
    session.sink.warm()
    if messages and messages[0]:
        run.model.seen = _seen(session, root, run, messages[0])


def _limit(params: Any) -> int | None:
    if not isinstance(params, dict):
        return None
    return next((params[name] for name in LIMITS if isinstance(params.get(name), int)), None)


def _format_of(options: Any) -> str | None:
    """LangChain marks turns of with_structured_output with a JSON schema; its title is what is "called"."""
    marked = options.get("ls_structured_output_format") if isinstance(options, dict) else None
    schema = marked.get("schema") if isinstance(marked, dict) else None
    return text_or_none(schema.get("title")) if isinstance(schema, dict) else None


def _is_output(items: list[Attributes], format_name: str | None) -> bool:
    """Nobody is going to answer these: the program reads its output from them."""
    return format_name is not None and all(item["name"] == format_name for item in items)


def _seen(session: Session, root: Root, run: Run, messages: list[Any]) -> list[tuple[str, Shown, bool]]:
    """The answers after the last message with calls: what the model learns of them."""
    answers: list[Any] = []
    for message in reversed(messages):
        if is_assistant(message):
            return _matched(session, root, run, message, answers[::-1]) if answers else []
        if is_tool_answer(message):
            answers.append(message)
    return _without_asking(session, root, run, answers[::-1])


def _without_asking(
    session: Session, root: Root, run: Run, answers: list[Any]
) -> list[tuple[str, Shown, bool]]:
    """Answers whose question was trimmed away before the model read them."""
    found = []
    for message in answers:
        known = root.by_id.get((run.graph, message.tool_call_id))
        if known:
            shown = shown_message(message, session.ledger().shortening("answer", known[-1].key))
            found.append((known[-1].key, shown, shown.same_text(known[-1].answer)))
    return found


def _matched(
    session: Session, root: Root, run: Run, asking: Any, answers: list[Any]
) -> list[tuple[str, Shown, bool]]:
    home = session.registry.home_of(root, asking)
    calls = session.registry.from_message(home, asking, run.graph, "input")
    found, used = [], set()
    for message in answers:
        call = next((x for x in calls if x.id == message.tool_call_id and x.key not in used), None)
        if call is None:
            _note_stray(session, root, run, asking, message)
            continue
        used.add(call.key)
        shown = shown_message(message, session.ledger().shortening("answer", call.key))
        found.append((call.key, shown, shown.same_text(call.answer)))
    return found


def _note_stray(session: Session, root: Root, run: Run, asking: Any, message: Any) -> None:
    """An answer to an id that nobody asked for, and that no node was seen to write."""
    place = message.tool_call_id
    asked = any(item["id"] == place for item in asked_for(asking)) or (run.graph, place) in root.by_id
    if root.is_graph and asked_for(asking) and not asked and all(told != place for told, _ in root.orphans):
        take_orphan(session, root, message, root.strays)


@guarded
def token(session: Session, run_id: Any, chunk: Any) -> None:
    """Arguments as they are streamed: the final message holds only what was made of them."""
    pieces = getattr(getattr(chunk, "message", None), "tool_call_chunks", None)
    if not pieces:
        return
    run = session.registry.runs.get(run_id)
    if run is None or run.model is None:
        return
    for piece in pieces:
        call_id, text = run.model.raw.get(piece.get("index"), (None, ""))
        if len(text) < TEXT_CHARS:
            text += piece.get("args") or ""
        run.model.raw[piece.get("index")] = (call_id or piece.get("id"), text)


@guarded
def end(session: Session, run_id: Any, response: Any = None, error: BaseException | None = None) -> None:
    run = session.registry.end_run(run_id)
    if run is None or run.model is None:
        return
    message = _message(response)
    asked = _requests(session, run, message) if message is not None else []
    attributes = _attributes(run, message, response)
    turn, closing = run.model, session.closing(failure_of(error) if error is not None else None)
    span = session.sink.open("chat", run.root.context, run.started_ns)
    session.sink.close(span, lambda: render.turn(run, turn.seen, asked, attributes, closing))


def _message(response: Any) -> Any:
    generations = getattr(response, "generations", None)
    first = generations[0][0] if generations and generations[0] else None
    message = getattr(first, "message", None)
    return message if is_assistant(message) else None


def _requests(session: Session, run: Run, message: Any) -> list[Attributes]:
    items = asked_for(message)
    if not items or _is_output(items, run.model.format):
        return []
    session.foresee(item["arguments"] for item in items)
    calls = session.registry.from_turn(run.root, message, run.graph, run.started_ns)
    outer = ATTEMPT.get()
    streamed = _streamed(run.model, message)
    found = []
    for call, item in zip(calls, items, strict=True):
        if call.parent_key is None and outer is not None:
            call.parent_key = outer.call.key
        raw, whole = streamed.get(item["id"], (None, True))
        made = request(session, call, item, raw)
        made["repaired"] = item["kind"] == "model" and not whole
        found.append(made)
    return found


def _streamed(turn: Turn, message: Any) -> dict[Any, tuple[str, bool]]:
    """The arguments as the model wrote them, by id, and whether they are JSON."""
    found = {call_id: (text, is_json(text)) for call_id, text in turn.raw.values() if text}
    for given in message.additional_kwargs.get("tool_calls") or ():
        text = (given.get("function") or {}).get("arguments") if isinstance(given, dict) else None
        if isinstance(text, str):
            found.setdefault(given.get("id"), (text, is_json(text)))
    return found


def _attributes(run: Run, message: Any, response: Any) -> Attributes:
    metadata = run.model.metadata
    said = getattr(message, "response_metadata", None) or {}
    more = getattr(response, "llm_output", None) or {}
    usage = getattr(message, "usage_metadata", None) or {}
    reason = next((said[n] for n in REASONS if isinstance(said.get(n), str)), None)
    model = (
        text_or_none(said.get("model_name"))
        or text_or_none(said.get("model"))
        or text_or_none(more.get("model_name"))
    )
    return {
        c.PROVIDER: text_or_none(metadata.get("ls_provider")),
        c.REQUEST_MODEL: text_or_none(metadata.get("ls_model_name")) or model,
        c.RESPONSE_MODEL: model,
        c.REQUEST_MAX_TOKENS: run.model.limit or _number(metadata.get("ls_max_tokens")),
        c.FINISH_REASONS: (reason,) if reason is not None else None,
        c.INPUT_TOKENS: _number(usage.get("input_tokens")),
        c.OUTPUT_TOKENS: _number(usage.get("output_tokens")),
        c.MESSAGE_ID: text_or_none(getattr(message, "id", None)),
        c.GROUP_ID: _group(run.root, message),
    }


def _group(root: Root, message: Any) -> str | None:
    items = asked_for(message) if message is not None else []
    known = root.by_message.get((message.id, items[0]["id"])) if items else None
    return known[-1].group_id if known else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
