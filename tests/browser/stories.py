"""What happened, for people to find: each story is one thing that goes wrong in the life of agents."""

import json

from tests.browser.seed import SECOND, Story

STACK = """Traceback (most recent call last):
  File "/usr/lib/python3.11/socket.py", line 706, in readinto
    return self._sock.recv_into(b)
TimeoutError: timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/.venv/lib/python3.11/site-packages/langgraph/prebuilt/tool_node.py", line 812, in _run_one
    response = tool.invoke(call_args, config)
  File "/app/.venv/lib/python3.11/site-packages/langchain_core/tools/base.py", line 640, in invoke
    return self.run(tool_input, **kwargs)
  File "/app/shop/payments.py", line 42, in charge_card
    return gateway.charge(card, amount)
  File "/app/shop/gateway.py", line 17, in charge
    raise TimeoutError("no answer from the gateway after 2.0 s")
TimeoutError: no answer from the gateway after 2.0 s"""
TIMEOUT = ("TimeoutError", "no answer from the gateway after 2.0 s", STACK)
HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">x</a>'


def everything(now_ns: int) -> list[Story]:
    makers = (charged_thrice, ran_twice, three_at_once, wrong_field, corrected, paused, resumed, approval, unheard, loop,
              hostile, awkward, secret, running, thrown_away, huge, invented, unreadable, same_id)  # fmt: skip
    return [make(now_ns - (index * 97 + 20) * SECOND) for index, make in enumerate(makers)]


def charged_thrice(at: int) -> Story:
    s = Story("charged", at, thread="order-1041", agent="payment")
    s.turn(
        0, ("call_charge_8Kd2", "charge_card", {"card": "tok_visa_42", "amount": 129.9, "currency": "EUR"})
    )
    for number in (1, 2, 3):
        start = 40 + (number - 1) * 2300
        s.attempt("call_charge_8Kd2", "charge_card", start, start + 2000, number, outcome="tool_error", error=TIMEOUT,
                  cause="first" if number == 1 else "wrapper_retry", arguments={"card": "tok_visa_42", "amount": 129.9, "currency": "EUR"})  # fmt: skip
    told = s.answer("call_charge_8Kd2", 6650, "Payment service unavailable", status="error", by="wrapper")
    failure = {"type": TIMEOUT[0], "message": TIMEOUT[1], "stack": STACK}
    s.step(
        30,
        6660,
        s.dispatch("call_charge_8Kd2", "charge_card", 35, 6650, 3, handled_by="wrapper", masked=failure),
        answers=(told,),
    )
    return s.seen(6700, "call_charge_8Kd2").end(6900, calls=("call_charge_8Kd2",))


def ran_twice(at: int) -> Story:
    s = Story("twice", at, thread="order-1042", agent="payment")
    arguments = {"to": "pat@example.test", "subject": "Your receipt", "attachments": ["receipt-1042.pdf"]}
    s.turn(
        0, ("call_mail_77", "send_email", arguments), ("call_note_78", "write_note", {"text": "receipt sent"})
    )
    s.attempt("call_mail_77", "send_email", 20, 240, 1, result="queued as 5512", arguments=arguments)
    s.attempt(
        "call_mail_77",
        "send_email",
        900,
        1100,
        2,
        cause="node_retry",
        result="queued as 5513",
        arguments=arguments,
    )
    s.attempt(
        "call_note_78",
        "write_note",
        25,
        130,
        1,
        outcome="tool_error",
        error=("ConnectionError", "notes are offline", ""),
        arguments={"text": "receipt sent"},
    )
    s.attempt(
        "call_note_78",
        "write_note",
        905,
        960,
        2,
        cause="node_retry",
        result="saved",
        arguments={"text": "receipt sent"},
    )
    answers = (s.answer("call_mail_77", 1105), s.answer("call_note_78", 1106))
    dispatches = (
        s.dispatch("call_mail_77", "send_email", 15, 1100, 2),
        s.dispatch("call_note_78", "write_note", 15, 1100, 2),
    )
    s.step(890, 1110, *dispatches, answers=answers)
    return s.seen(1150, "call_mail_77", "call_note_78").end(1400, calls=("call_mail_77", "call_note_78"))


def three_at_once(at: int) -> Story:
    s = Story("three", at, thread="trip-7", agent="weather", service="travel-agents")
    cities = ("Oslo", "Kyoto", "Lima")
    s.turn(0, *((f"call_w{n}", "get_weather", {"city": city, "days": 3}) for n, city in enumerate(cities)))
    for n, city in enumerate(cities):
        s.attempt(
            f"call_w{n}",
            "get_weather",
            12 + n,
            500 + 5 * n,
            1,
            result=json.dumps({"city": city, "celsius": 4 + 7 * n}),
            arguments={"city": city, "days": 3},
        )
    s.step(
        10,
        530,
        *(s.dispatch(f"call_w{n}", "get_weather", 11, 520) for n in range(3)),
        answers=tuple(s.answer(f"call_w{n}", 525) for n in range(3)),
    )
    return s.seen(560, "call_w0", "call_w1", "call_w2").end(800, calls=("call_w0", "call_w1", "call_w2"))


def wrong_field(at: int) -> Story:
    s = Story("plan", at, thread="plan-3", agent="planner")
    arguments = {"tasks": '[{"t":"pack"},{"t":"ship"}]', "note": '["not a list, really a string"]'}
    problems = [
        {
            "field": "tasks",
            "reason": "Input should be a valid list",
            "expected": "list",
            "received": "string",
        },
        {"field": "owner", "reason": "Field required", "expected": "string", "received": None},
    ]
    s.turn(0, ("call_plan_1", "plan_tasks", arguments))
    s.attempt("call_plan_1", "plan_tasks", 10, 12, 1, ran=False, outcome="invalid_args", problems=problems, arguments=arguments,
              error=("pydantic_core.ValidationError", "2 validation errors for plan_tasks", ""))  # fmt: skip
    told = s.answer(
        "call_plan_1",
        14,
        "Error: tasks: Input should be a valid list; owner: Field required. Please fix your mistakes.",
        status="error",
        by="toolnode",
    )
    s.step(8, 15, s.dispatch("call_plan_1", "plan_tasks", 9, 14, handled_by="toolnode"), answers=(told,))
    return s.seen(20, "call_plan_1").end(900, calls=("call_plan_1",))


def corrected(at: int) -> Story:
    s = Story("plan again", at + 102 * SECOND, thread="plan-3", agent="planner", run="2")
    arguments = {"tasks": [{"t": "pack"}, {"t": "ship"}], "owner": "kim"}
    s.turn(0, ("call_plan_2", "plan_tasks", arguments), message="m2")
    s.attempt("call_plan_2", "plan_tasks", 10, 62, 1, result="2 tasks planned", arguments=arguments)
    s.step(8, 70, s.dispatch("call_plan_2", "plan_tasks", 9, 65), answers=(s.answer("call_plan_2", 66),))
    return s.seen(80, "call_plan_2").end(400, calls=("call_plan_2",))


def paused(at: int) -> Story:
    s = Story("supplier", at, thread="invoice-12", agent="payment", run="1")
    s.turn(0, ("call_p03", "pay_supplier", {"supplier": "Nordlicht GmbH", "amount": 480.5}))
    asked = json.dumps({"question": "Pay 480.50 to Nordlicht GmbH?"})
    s.attempt(
        "call_p03",
        "pay_supplier",
        10,
        25,
        1,
        outcome="interrupted",
        interrupt=asked,
        arguments={"supplier": "Nordlicht GmbH", "amount": 480.5},
    )
    s.step(
        8,
        26,
        s.dispatch("call_p03", "pay_supplier", 9, 25, state="pending", interrupt=asked),
        outcome="interrupted",
    )
    return s.end(30, "interrupted", ("call_p03",))


def resumed(at: int) -> Story:
    s = Story("supplier", at + 157 * SECOND, thread="invoice-12", agent="payment", run="2")
    s.attempt(
        "call_p03",
        "pay_supplier",
        10,
        260,
        2,
        cause="resume",
        resume={"ok": True},
        result="paid",
        arguments={"supplier": "Nordlicht GmbH", "amount": 480.5},
    )
    dispatch = s.dispatch("call_p03", "pay_supplier", 9, 262) | {
        "cause": "resume",
        "attempts": [s.attempt_id("call_p03", 2)],
    }
    s.step(8, 265, dispatch, answers=(s.answer("call_p03", 263),))
    return s.seen(300, "call_p03").end(500, calls=("call_p03",))


def approval(at: int) -> Story:
    s = Story("refund", at, thread="refund-9", agent="email")
    s.turn(0, ("call_refund_9", "refund_order", {"order": 1039, "amount": 75}))
    asked = json.dumps({"question": "Refund 75.00 for order 1039?"})
    s.attempt(
        "call_refund_9",
        "refund_order",
        10,
        22,
        1,
        outcome="interrupted",
        interrupt=asked,
        arguments={"order": 1039, "amount": 75},
    )
    s.step(
        8,
        23,
        s.dispatch("call_refund_9", "refund_order", 9, 22, state="pending", interrupt=asked),
        outcome="interrupted",
    )
    return s.end(25, "interrupted", ("call_refund_9",))


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
    s.step(8, 212, s.dispatch("call_p02a", "lookup_stock", 9, 60, state="discarded"), s.dispatch("call_p02b", "lookup_price", 9, 210, state="pending", error=failure),
           s.dispatch("call_p02c", "send_note", 9, 62, state="discarded"), outcome="error")  # fmt: skip
    return s.end(215, "crashed", ("call_p02a", "call_p02b", "call_p02c"), error=error)


def huge(at: int) -> Story:
    s = Story("huge", at, thread="dump-1", agent="search")
    rows = [{"id": n, "name": f"row {n}", "text": "x" * 40} for n in range(4000)]
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
