"""Payments, receipts, plans and pauses."""

import json

from tests.browser.errors import STACK, TIMEOUT
from tests.browser.seed import SECOND, Story


def charged_thrice(at: int) -> Story:
    s = Story("charged", at, thread="order-1041", agent="payment")
    s.turn(
        0, ("call_charge_8Kd2", "charge_card", {"card": "tok_visa_42", "amount": 129.9, "currency": "EUR"})
    )
    for number in (1, 2, 3):
        start = 40 + (number - 1) * 2300
        s.attempt(
            "call_charge_8Kd2",
            "charge_card",
            start,
            start + 2000,
            number,
            outcome="tool_error",
            error=TIMEOUT,
            cause="first" if number == 1 else "wrapper_retry",
            arguments={"card": "tok_visa_42", "amount": 129.9, "currency": "EUR"},
        )
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
    s.attempt(
        "call_plan_1",
        "plan_tasks",
        10,
        12,
        1,
        ran=False,
        outcome="invalid_args",
        problems=problems,
        arguments=arguments,
        error=("ValidationError", "2 validation errors for plan_tasks", ""),
    )
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
