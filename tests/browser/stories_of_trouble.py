"""Silence, loops, hostile and awkward text, crashes, inventions."""

import json

from tests.browser.errors import STACK
from tests.browser.seed import SECOND, Story

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">x</a>'


def unheard(at: int) -> Story:
    s = Story("unheard", at, thread="support-4", agent="email")
    s.turn(0, ("call_lost_1", "lookup_ticket", {"ticket": "T-88"}))
    return s.end(300, calls=("call_lost_1",))


def loop(at: int) -> Story:
    s = Story("loop", at, thread="library-1", agent="search", service="travel-agents")
    for n in range(12):
        arguments = (
            {"q": "harbour opening hours", "limit": 5}
            if n % 2
            else {"limit": 5, "q": "harbour opening hours"}
        )
        id_, start = f"call_p10_{n:02}", n * 200
        s.turn(start, (id_, "search_memory", arguments), message=f"m{n}")
        s.attempt(id_, "search_memory", start + 5, start + 60, 1, result="[]", arguments=arguments)
        s.step(
            start + 4,
            start + 70,
            s.dispatch(id_, "search_memory", start + 4, start + 65),
            answers=(s.answer(id_, start + 66),),
        )
    return s.end(2600, "step_limit", tuple(f"call_p10_{n:02}" for n in range(12)))


def hostile(at: int) -> Story:
    s = Story("hostile", at, thread="<b>bold</b>", agent="search")
    s.turn(0, ("call_evil_1", "fetch_page", {"url": "javascript:alert(1)", HOSTILE: HOSTILE}))
    s.attempt(
        "call_evil_1",
        "fetch_page",
        10,
        90,
        1,
        outcome="tool_error",
        error=(HOSTILE[:60], HOSTILE, ""),
        arguments={"url": HOSTILE},
    )
    s.step(
        8,
        95,
        s.dispatch("call_evil_1", "fetch_page", 9, 92, handled_by="toolnode"),
        answers=(s.answer("call_evil_1", 93, HOSTILE, status="error", by="toolnode"),),
    )
    return s.seen(100, "call_evil_1").end(200, calls=("call_evil_1",))


def awkward(at: int) -> Story:
    s = Story("awkward", at, thread="旅行-1", agent="weather", service="travel-agents")
    arguments = {
        "město": "Plzeň",
        "都市": "京都の天気はどうですか",
        "بلد": "ما هو الطقس في القاهرة",
        "mood": "👩🏽‍🚀🌧️",
    }
    s.turn(0, ("call_語_1", "天気を調べる", arguments))
    s.attempt("call_語_1", "天気を調べる", 10, 190, 1, result="晴れ ☀️ — القاهرة: مشمس", arguments=arguments)
    s.step(8, 195, s.dispatch("call_語_1", "天気を調べる", 9, 192), answers=(s.answer("call_語_1", 193),))
    return s.seen(200, "call_語_1").end(400, calls=("call_語_1",))


def secret(at: int) -> Story:
    s = Story("secret", at, thread="export-2", agent="search")
    text = "could not connect: postgres://svc_orders:Fake-Pa55-phrase@db.example.test:5432/orders"
    s.turn(0, ("call_p11", "export_orders", {"month": "2031-02"}))
    s.attempt(
        "call_p11",
        "export_orders",
        10,
        700,
        1,
        outcome="tool_error",
        error=("OperationalError", text, ""),
        arguments={"month": "2031-02"},
    )
    s.step(
        8,
        710,
        s.dispatch("call_p11", "export_orders", 9, 705, handled_by="toolnode"),
        answers=(s.answer("call_p11", 706, f"Error: {text}", status="error", by="toolnode"),),
    )
    return s.seen(720, "call_p11").end(800, calls=("call_p11",))


def running(at: int) -> Story:
    """Began a moment ago, whatever its place among the stories."""
    s = Story(
        "running",
        at + 14 * 97 * SECOND - 97 * SECOND + 18 * SECOND,
        thread="trip-8",
        agent="search",
        service="travel-agents",
    )
    s.turn(0, ("call_run_1", "crawl_site", {"url": "https://harbour.example.test"}))
    return s.attempt(
        "call_run_1",
        "crawl_site",
        15,
        None,
        1,
        outcome="ok",
        arguments={"url": "https://harbour.example.test"},
    )


def thrown_away(at: int) -> Story:
    s = Story("thrown", at, thread="stock-5", agent="search")
    calls = (("call_p02a", "lookup_stock"), ("call_p02b", "lookup_price"), ("call_p02c", "send_note"))
    s.turn(0, *((id_, tool, {"sku": "KX-4"}) for id_, tool in calls))
    error = (
        "RuntimeError",
        "price feed closed",
        STACK.replace(
            "TimeoutError: no answer from the gateway after 2.0 s", "RuntimeError: price feed closed"
        ),
    )
    s.attempt("call_p02a", "lookup_stock", 10, 60, 1, result="12", arguments={"sku": "KX-4"})
    s.attempt(
        "call_p02b", "lookup_price", 11, 210, 1, outcome="tool_error", error=error, arguments={"sku": "KX-4"}
    )
    s.attempt("call_p02c", "send_note", 12, 62, 1, result="sent", arguments={"sku": "KX-4"})
    failure = {"type": error[0], "message": error[1], "stack": error[2]}
    s.step(
        8,
        212,
        s.dispatch("call_p02a", "lookup_stock", 9, 60, state="discarded"),
        s.dispatch("call_p02b", "lookup_price", 9, 210, state="pending", error=failure),
        s.dispatch("call_p02c", "send_note", 9, 62, state="discarded"),
        outcome="error",
    )
    return s.end(215, "crashed", ("call_p02a", "call_p02b", "call_p02c"), error=error)


def huge(at: int) -> Story:
    s = Story("huge", at, thread="dump-1", agent="search")
    rows = [{"id": n, "name": f"row {n}", "text": "x" * 40} for n in range(2_500)]
    s.turn(0, ("call_big_1", "dump_table", {"table": "orders"}))
    s.attempt("call_big_1", "dump_table", 10, 1200, 1, result=json.dumps(rows), arguments={"table": "orders"})
    s.step(8, 1210, s.dispatch("call_big_1", "dump_table", 9, 1202), answers=(s.answer("call_big_1", 1205),))
    return s.seen(1300, "call_big_1").end(1500, calls=("call_big_1",))


def invented(at: int) -> Story:
    s = Story("invented", at, thread="support-5", agent="email")
    s.turn(0, ("call_gh_1", "delete_everything", {"sure": True}))
    told = s.answer(
        "call_gh_1",
        12,
        "Error: delete_everything is not a valid tool, try one of [lookup_ticket, send_email].",
        status="error",
        by="toolnode",
    )
    s.step(8, 13, s.dispatch("call_gh_1", "delete_everything", 9, 12, 0, unknown=True), answers=(told,))
    return s.seen(20, "call_gh_1").end(100, calls=("call_gh_1",))


def unreadable(at: int) -> Story:
    s = Story("unreadable", at, thread="pages-2", agent="planner")
    s.turn(0, ("call_p07", "write_page", '{"title": "Q3", "body": "line one" "line two"}'))
    return s.end(50, calls=("call_p07",))


def same_id(at: int) -> Story:
    """The id that another thread used as well."""
    s = Story("same id", at, thread="rooms-2", agent="planner")
    s.turn(0, ("call_w0", "find_room", {"day": "Tue"}))
    s.attempt("call_w0", "find_room", 10, 40, 1, result="room 9", arguments={"day": "Tue"})
    s.step(8, 45, s.dispatch("call_w0", "find_room", 9, 42), answers=(s.answer("call_w0", 43),))
    return s.seen(50, "call_w0").end(90, calls=("call_w0",))
