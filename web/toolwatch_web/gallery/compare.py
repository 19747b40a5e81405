"""Samples of two things side by side."""

from toolwatch_web.gallery.values import NOW_NS
from toolwatch_web.models.compare import ComparePage, Pair, Side


def compare_page(what: str) -> ComparePage:
    call = what == "calls"
    side = Side(
        title="charge_card" if call else "Trace",
        id="call_1",
        href="/calls/c1",
        outcome="tool_error" if call else None,
        text="charge_card raised TimeoutError.",
        at_ns=NOW_NS if call else None,
    )
    pairs = (
        Pair(label="Outcome", a="OK", b="Tool error", differs=True),
        Pair(label="Argument amount", a="1", b="1", differs=False, mono=True),
    )
    place = Pair(label="1", a="pay → OK", b="–", differs=True, mono=True, a_href="/calls/c1")
    return ComparePage(
        what=what,
        a=side,
        b=side,
        pairs=pairs,
        lines=() if call else (place,),
        cut=None if call else "Showing 200 of 900 places.",
    )
