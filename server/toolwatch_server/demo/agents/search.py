"""Search: slow, and sometimes lost."""

import asyncio
import os
import time
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from toolwatch_server.demo.graphs import asked, loop, new_thread
from toolwatch_server.demo.script import Ask, ScriptedModel, Turn


@tool
def search_documents(query: str, page: int = 1) -> str:
    """Search the company's documents."""
    time.sleep(0.3 + len(query) / 30)
    return f"2 documents about {query!r} on page {page}"


@tool
def find_ticket(number: str) -> str:
    """Find a support ticket."""
    time.sleep(0.02)
    return "no such ticket"


@tool
async def crawl(site: str) -> str:
    """Read a whole site."""
    await asyncio.sleep(60)
    return f"{site}: read"


@tool
def index_archive(path: str) -> str:
    """Build the index of an archive that does not fit into memory."""
    time.sleep(0.5)
    os._exit(137)


@tool
def research(question: str) -> str:
    """Hand a question to a researcher, who is an agent too."""
    turns: list[Turn] = [
        Ask(tool="search_documents", arguments={"query": "parental leave"}),
        "Fourteen weeks are paid.",
    ]
    researcher = create_agent(ScriptedModel(turns=turns), [search_documents], name="researcher")
    return str(researcher.invoke(asked(question))["messages"][-1].content)


def three_slow_searches_at_once() -> None:
    queries = ("travel policy", "expense limits for contractors", "per diem rates in Switzerland")
    calls = tuple(Ask(tool="search_documents", arguments={"query": query}) for query in queries)
    create_agent(ScriptedModel(turns=[calls, "Here they are."]), [search_documents], name="search").invoke(
        asked("Travel policy, expense limits and per diems, please."), new_thread()
    )


def the_same_call_over_and_over() -> None:
    again = Ask(tool="find_ticket", arguments={"number": "T-404"})
    first = Ask(
        tool="find_ticket", arguments={"number": "T-404"}, look="a loop: the same call until the step limit"
    )
    loop("search", [find_ticket], [first, *[again] * 9]).invoke(
        asked("What became of ticket T-404?"), new_thread(recursion_limit=11)
    )


def a_search_that_took_too_long() -> None:
    turns: list[Turn] = [
        Ask(tool="crawl", arguments={"site": "docs.example.com"}, look="cancelled by a timeout of the caller")
    ]
    graph = loop("search", [crawl], turns)

    async def with_little_patience() -> None:
        await asyncio.wait_for(graph.ainvoke(asked("Read docs.example.com."), new_thread()), timeout=1.0)

    asyncio.run(with_little_patience())


def an_agent_inside_a_tool() -> None:
    turns: list[Turn] = [
        Ask(
            tool="research",
            arguments={"question": "How long is parental leave?"},
            look="a tool with an agent inside, and that agent's calls",
        ),
        "Fourteen weeks are paid.",
    ]
    create_agent(ScriptedModel(turns=turns), [research], name="search").invoke(
        asked("How long is parental leave?"), new_thread()
    )


def a_call_that_nobody_answered() -> None:
    """A hand-written node mixes up the ids: the call stays unanswered, and an answer has no call."""
    model = ScriptedModel(
        turns=[Ask(tool="find_ticket", arguments={"number": "T-1"}, look="no answer carries its id")]
    )

    def think(state: MessagesState) -> dict[str, list[AIMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    def answer(state: MessagesState) -> dict[str, list[Any]]:
        return {
            "messages": [ToolMessage("T-1: solved", tool_call_id="call_of_last_week", name="find_ticket")]
        }

    builder = StateGraph(MessagesState)
    builder.add_node("agent", think)
    builder.add_node("answer", answer)
    builder.add_edge(START, "agent")
    builder.add_edge("agent", "answer")
    builder.compile(name="search").invoke(asked("Is T-1 solved?"), new_thread())


def a_process_that_dies() -> None:
    turns: list[Turn] = [
        Ask(
            tool="index_archive",
            arguments={"path": "/archive/2019"},
            look="started, and its process was killed",
        )
    ]
    loop("search", [index_archive], turns).invoke(asked("Index the archive of 2019."), new_thread())


STORIES = (
    three_slow_searches_at_once,
    the_same_call_over_and_over,
    a_search_that_took_too_long,
    an_agent_inside_a_tool,
    a_call_that_nobody_answered,
)
DOOMED_STORIES = (a_process_that_dies,)
