"""Tools that several scenarios use."""

from langchain_core.tools import BaseTool, tool

from tests.scenarios.programs.kit import Runs


@tool
def weather(city: str, days: int = 1) -> str:
    """Weather of a city."""
    return f"{city}: sunny for {days} day(s)"


@tool
def crash(x: int = 0) -> str:
    """Always fails."""
    raise RuntimeError("database timeout")


def payer(ran: Runs) -> BaseTool:
    """A tool with a side effect, counted."""

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        ran("pay", amount=amount)
        return "paid"

    return pay


def raiser(error: BaseException) -> BaseTool:
    @tool("raiser")
    def raises(x: int = 0) -> str:
        """Raises."""
        raise error

    return raises
