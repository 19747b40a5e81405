"""Weather: mostly works. Its model misspells, forgets fields and invents tools, as models do."""

import time
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel, Field

from toolwatch_server.demo.graphs import asked, loop, new_thread
from toolwatch_server.demo.script import Ask, ScriptedModel, Turn


class ForecastQuery(BaseModel):
    """Where, and for how many days."""

    city: str = Field(min_length=2)
    days: int = Field(default=1, ge=1, le=10)


@tool
def current_weather(city: str) -> dict[str, Any]:
    """The weather of a city, now."""
    time.sleep(0.05 + len(city) / 40)
    return {"city": city, "sky": "clear", "temperature_c": 7 + len(city)}


@tool(args_schema=ForecastQuery)
def forecast(city: str, days: int = 1) -> list[str]:
    """The weather of a city for the next days."""
    time.sleep(0.03)
    return [f"{city}, day {day}: sunny spells" for day in range(1, days + 1)]


def agent(*turns: Turn) -> Any:
    return create_agent(ScriptedModel(turns=turns), [current_weather, forecast], name="weather")


def three_cities_at_once() -> None:
    cities = tuple(
        Ask(tool="current_weather", arguments={"city": city}) for city in ("Paris", "Reykjavik", "Lima")
    )
    agent(cities, "Lima is the warmest of the three.").invoke(
        asked("Is it warmer in Paris, Reykjavik or Lima?"), new_thread()
    )


def a_refused_call_that_the_model_corrects() -> None:
    agent(
        Ask(
            tool="forecast",
            arguments={"town": "Oslo", "days": "a week"},
            look="arguments refused, field by field, and the call that corrected them",
        ),
        Ask(tool="forecast", arguments={"city": "Oslo", "days": 7}),
        "A week of sunny spells.",
    ).invoke(asked("What will the weather in Oslo be like this week?"), new_thread())


def an_invented_tool() -> None:
    agent(
        Ask(tool="weather_api_v2", arguments={"location": "Rome"}, look="a tool that the model made up"),
        Ask(tool="current_weather", arguments={"city": "Rome"}),
        "Clear skies in Rome.",
    ).invoke(asked("And in Rome?"), new_thread())


def arguments_that_are_no_json() -> None:
    broken = Ask(
        tool="current_weather",
        unreadable='{"city": "Buenos Aires", "unit": "celsius" "lang": "es"',
        look="arguments that are not JSON: nothing ran, and the run ended as if all were well",
    )
    loop("weather", [current_weather], [broken]).invoke(
        asked("¿Qué tiempo hace en Buenos Aires?"), new_thread()
    )


def a_search_that_the_provider_ran() -> None:
    agent(
        Ask(
            tool="web_search",
            arguments={"query": "storm warning North Sea"},
            answered_by_provider="No warnings are in force for the North Sea.",
        )
    ).invoke(asked("Any storm warnings for the North Sea?"), new_thread())


def an_answer_from_a_cache() -> None:
    def remembered(request: Any, execute: Any) -> ToolMessage:
        call = request.tool_call
        return ToolMessage("Quito: clear, 12 °C (from the cache)", tool_call_id=call["id"], name=call["name"])

    turns: list[Turn] = [Ask(tool="current_weather", arguments={"city": "Quito"}), "Clear, 12 °C."]
    loop("weather", [current_weather], turns, wrap_tool_call=remembered).invoke(
        asked("And Quito?"), new_thread()
    )


STORIES = (
    three_cities_at_once,
    a_refused_call_that_the_model_corrects,
    an_invented_tool,
    arguments_that_are_no_json,
    a_search_that_the_provider_ran,
    an_answer_from_a_cache,
)
