"""One instrumented process: where records go, what may be in them, and what is in flight."""

import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Final

from opentelemetry import context

from toolwatch import _render_several as render
from toolwatch._alive import Alive
from toolwatch._capture import plain_fields
from toolwatch._failures import Failure
from toolwatch._guard import guarded
from toolwatch._records import Attempt, Dispatch, Root
from toolwatch._redact import Ledger, Redaction, to_json
from toolwatch._registry import Registry
from toolwatch._render import Closing
from toolwatch._spans import Ids, Sink

ATTEMPT: Final[ContextVar[Attempt | None]] = ContextVar("toolwatch_attempt", default=None)
ROOT: Final[ContextVar[Root | None]] = ContextVar("toolwatch_root", default=None)
DISPATCH: Final[ContextVar[Dispatch | None]] = ContextVar("toolwatch_dispatch", default=None)


class Session:
    """Hooks ask current() for it on every event: None means that we are switched off."""

    def __init__(self, sink_of: Callable[["Session"], Sink], redaction: Redaction, *, full: bool) -> None:
        self.full = full
        self.redaction = redaction
        self.registry = Registry()
        self.missing: tuple[str, ...] = ()
        self.knows_bodies = True  # the hook that sees a body begin is in place
        self.alive = Alive(self._beat)
        self._random = Ids().source
        self.sink = sink_of(self)

    def random_hex(self) -> str:
        return f"{self._random.getrandbits(128):032x}"

    def ledger(self) -> Ledger:
        return Ledger(self.redaction)

    def foresee(self, arguments: Iterable[object]) -> None:
        """Calls with these arguments were asked for together: they will run at the same time."""
        if self.full:
            plain = (plain_fields(value) for value in arguments)
            self.redaction.clear([to_json(value) for value in plain if value is not None])

    def closing(self, failure: Failure | None = None) -> Closing:
        return Closing(self.ledger(), self.full, time.time_ns(), failure)

    def report_missing(self, names: tuple[str, ...]) -> None:
        """Internal names that this version of a framework does not have."""
        self.missing = tuple(dict.fromkeys((*self.missing, *names)))
        self._emit((), 0)

    def report_losses(self, dropped: int) -> None:
        self._emit((), dropped)

    def _beat(self, keys: tuple[str, ...]) -> None:
        self._emit(keys, 0)

    @guarded
    def _emit(self, keys: tuple[str, ...], dropped: int) -> None:
        span = self.sink.open("toolwatch.alive", None)
        data = render.alive(keys, dropped, self.missing, span.start_ns)
        self.sink.close(span, lambda: data)

    def stop(self) -> None:
        self.alive.stop()
        self.sink.shutdown()

    def before_fork(self) -> None:
        self.redaction.rules()  # waits for the thread that loads them
        self.sink.before_fork()

    def after_fork_in_parent(self) -> None:
        self.sink.after_fork_in_parent()

    def after_fork(self) -> None:
        """In the child: nothing that was under way in the parent is ours."""
        self.registry = Registry()
        self._random = Ids().source
        self.alive.after_fork()
        self.sink.after_fork()


_current: Session | None = None


def current() -> Session | None:
    return _current


def recording() -> Session | None:
    """The same for what begins: None also where the program wants nothing to be instrumented right now."""
    if _current is None:
        return None
    now = context.get_current()
    suppressed = now.get(context._SUPPRESS_INSTRUMENTATION_KEY) or now.get("suppress_instrumentation")
    return None if suppressed else _current


def switch(session: Session | None) -> None:
    global _current  # noqa: PLW0603 read on every event, so it is a plain name
    _current = session
