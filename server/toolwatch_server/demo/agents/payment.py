"""Payment: fails in the ways that cost money."""

import time
from collections import Counter
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.prebuilt import InjectedStore
from langgraph.store.base import BaseStore
from langgraph.types import Command, RetryPolicy

from toolwatch_server.demo.graphs import asked, loop, new_thread
from toolwatch_server.demo.script import Ask, ScriptedModel, Turn


@tool
def charge_card(customer: str, amount_eur: float) -> str:
    """Charge the card of a customer."""
    time.sleep(0.04)
    return f"charged {amount_eur:.2f} EUR to {customer}"


@tool
def send_receipt(customer: str) -> str:
    """Send the receipt of the last payment."""
    time.sleep(0.03)
    return f"receipt sent to {customer}"


@tool
def print_statement(customer: str) -> str:
    """Print the statement of a customer."""
    time.sleep(0.25)
    return f"statement of {customer}: 3 pages"


@tool
def refund(customer: str, amount_eur: float) -> str:
    """Pay money back."""
    time.sleep(0.15)
    raise RuntimeError(f"no settled payment of {amount_eur:.2f} EUR found for {customer}")


@tool
def account_balance(account: str) -> str:
    """The balance of an account."""
    time.sleep(0.05)
    raise ConnectionError(
        "could not connect to postgresql://ledger:Tr0ub4dor-and-3@ledger-db.internal:5432/accounts: timed out"
    )


@tool
def credit_limit(customer: str) -> str:
    """How much a customer may owe."""
    raise ToolException(f"{customer} has no credit agreement")


@tool
def loyalty_points(customer: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """The points that a customer has collected."""
    return str(store.get(("points",), customer))


@tool
def close_invoice(number: str) -> Command[Any]:
    """Mark an invoice as paid."""
    return Command(update={"messages": []})


def fails_first(name: str, description: str, times: int) -> BaseTool:
    """A tool that loses its connection so many times before it works."""
    count: Counter[str] = Counter()

    def body(customer: str) -> str:
        count["runs"] += 1
        time.sleep(0.08)
        if count["runs"] <= times:
            raise ConnectionResetError(104, "Connection reset by peer")
        return f"{name}: {customer} is cleared"

    body.__name__ = name
    body.__doc__ = description
    return tool(body)


def a_payment_that_ran_three_times() -> None:
    fraud_check = fails_first("fraud_check", "Ask the fraud service about a customer.", times=2)
    calls = (
        Ask(tool="fraud_check", arguments={"customer": "C-2041"}),
        Ask(
            tool="charge_card",
            arguments={"customer": "C-2041", "amount_eur": 129.0},
            look="the payment that ran three times, because its neighbour was retried",
        ),
    )
    retry = RetryPolicy(max_attempts=3, initial_interval=0.2, jitter=False)
    loop("payment", [fraud_check, charge_card], [calls, "Paid."], retry=retry).invoke(
        asked("Charge 129 EUR to C-2041, if the fraud check agrees."), new_thread()
    )


def an_error_hidden_from_the_model() -> None:
    balance = Ask(
        tool="account_balance",
        arguments={"account": "DE-0042"},
        look="the real error behind a fixed sentence, with its password taken out",
    )
    loop(
        "payment",
        [account_balance],
        [balance, "I cannot see your balance right now."],
        handle_tool_errors="The service is unavailable. Please try again later.",
    ).invoke(asked("What is on account DE-0042?"), new_thread())


def a_retry_by_middleware() -> None:
    rates = fails_first("exchange_rate", "The rate at which a customer may exchange money.", times=2)
    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0.1, jitter=False)
    model = ScriptedModel(turns=[Ask(tool="exchange_rate", arguments={"customer": "C-77"}), "1.08 dollars."])
    create_agent(model, [rates], middleware=[retry], name="payment").invoke(
        asked("How many dollars does C-77 get for a euro?"), new_thread()
    )


def a_receipt_lost_with_its_neighbour() -> None:
    calls = (
        Ask(
            tool="send_receipt",
            arguments={"customer": "C-310"},
            look="sent, but thrown away: its neighbour failed",
        ),
        Ask(tool="refund", arguments={"customer": "C-310", "amount_eur": 40.0}),
    )
    loop("payment", [send_receipt, refund], [calls]).invoke(
        asked("Refund C-310 and send a receipt."), new_thread()
    )


def a_receipt_that_was_never_begun() -> None:
    calls = (
        Ask(tool="refund", arguments={"customer": "C-311", "amount_eur": 15.5}),
        Ask(tool="print_statement", arguments={"customer": "C-311"}),
        Ask(
            tool="send_receipt",
            arguments={"customer": "C-311"},
            look="never started: a neighbour's failure came first",
        ),
    )
    loop("payment", [print_statement, send_receipt, refund], [calls]).invoke(
        asked("Refund C-311, print their statement, send a receipt."), new_thread(max_concurrency=1)
    )


def an_error_that_the_tool_answers_itself() -> None:
    credit_limit.handle_tool_error = True
    turns: list[Turn] = [
        Ask(tool="credit_limit", arguments={"customer": "C-5"}),
        "They may not buy on credit.",
    ]
    loop("payment", [credit_limit], turns).invoke(asked("May C-5 buy on credit?"), new_thread())


def a_tool_whose_store_is_missing() -> None:
    turns: list[Turn] = [Ask(tool="loyalty_points", arguments={"customer": "C-5"})]
    loop("payment", [loyalty_points], turns).invoke(asked("How many points has C-5?"), new_thread())


def a_tool_that_forgets_its_answer() -> None:
    turns: list[Turn] = [Ask(tool="close_invoice", arguments={"number": "R-1007"})]
    loop("payment", [close_invoice], turns).invoke(asked("Close R-1007."), new_thread())


STORIES = (
    a_payment_that_ran_three_times,
    an_error_hidden_from_the_model,
    a_retry_by_middleware,
    a_receipt_lost_with_its_neighbour,
    a_receipt_that_was_never_begun,
    an_error_that_the_tool_answers_itself,
    a_tool_whose_store_is_missing,
    a_tool_that_forgets_its_answer,
)
