"""E-mail: asks a person before anything leaves the house."""

import time
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from toolwatch_server.demo.graphs import asked, loop, new_thread
from toolwatch_server.demo.script import Ask, ScriptedModel, Turn

PERSON_THINKS_S = 0.6


@tool
def send_email(to: str, subject: str) -> str:
    """Send an e-mail, once a person has agreed."""
    time.sleep(0.05)
    agreed = interrupt({"question": f"Send {subject!r} to {to}?"})
    return f"queued for {to}" if agreed else "not sent"


@tool
def delete_mailbox(address: str) -> str:
    """Delete a mailbox with everything in it."""
    return f"{address} deleted"


@tool
def unread_count(folder: str) -> int:
    """How many messages are unread."""
    time.sleep(0.03)
    return 12


def a_question_nobody_has_answered_yet() -> None:
    turns: list[Turn] = [
        Ask(
            tool="send_email",
            arguments={"to": "all-staff@example.com", "subject": "Office closed on Friday"},
            look="waiting for a person",
        )
    ]
    loop("email", [send_email], turns, checkpointer=InMemorySaver()).invoke(
        asked("Tell everybody that the office is closed on Friday."), new_thread()
    )


def a_question_answered_in_a_second_run() -> None:
    turns: list[Turn] = [
        Ask(
            tool="send_email",
            arguments={"to": "pat@example.com", "subject": "Your order has shipped"},
            look="paused, agreed to, and resumed in a second run: one call, two traces",
        ),
        "Sent.",
    ]
    graph: Any = loop("email", [send_email], turns, checkpointer=InMemorySaver())
    thread = new_thread()
    graph.invoke(asked("Tell Pat that the order has shipped."), thread)
    time.sleep(PERSON_THINKS_S)
    graph.invoke(Command(resume=True), thread)


def a_person_who_says_no() -> None:
    turns: list[Turn] = [
        Ask(tool="delete_mailbox", arguments={"address": "jo@example.com"}, look="a person said no"),
        "I have left it alone.",
    ]
    asks_first = HumanInTheLoopMiddleware(interrupt_on={"delete_mailbox": True})
    graph: Any = create_agent(
        ScriptedModel(turns=turns),
        [delete_mailbox],
        middleware=[asks_first],
        checkpointer=InMemorySaver(),
        name="email",
    )
    thread = new_thread()
    graph.invoke(asked("Delete the mailbox of Jo."), thread)
    time.sleep(PERSON_THINKS_S)
    no = {"type": "reject", "message": "Jo is on leave, not gone."}
    graph.invoke(Command(resume={"decisions": [no]}), thread)


def a_look_into_the_inbox() -> None:
    turns: list[Turn] = [
        Ask(tool="unread_count", arguments={"folder": "inbox"}),
        "Twelve messages are unread.",
    ]
    loop("email", [unread_count], turns).invoke(asked("Anything new?"), new_thread())


STORIES = (
    a_question_nobody_has_answered_yet,
    a_question_answered_in_a_second_run,
    a_person_who_says_no,
    a_look_into_the_inbox,
)
