"""Ways to narrow a list, with counts; and where a list is empty, which filter empties it."""

from collections.abc import Callable, Sequence
from typing import Final

from starlette.datastructures import QueryParams

from toolwatch_server.domain.filters import CallFilter
from toolwatch_server.domain.rows import Facets
from toolwatch_server.pages.ask import Asked, ask
from toolwatch_server.pages.shape_list import chip_of, href_of, told_filters
from toolwatch_web.format import count
from toolwatch_web.models.lists import Advice, Facet, FacetValue
from toolwatch_web.outcomes import look, warning

SHOWN_MAX: Final = 6
COUNTED_MAX: Final = 1_000


def facets_of(found: Facets, asked: Asked) -> tuple[Facet, ...]:
    """A facet with one value only, or one that is chosen already, narrows nothing."""
    filters = told_filters(asked)
    kinds: tuple[tuple[str, str, Sequence[tuple[str, int]], Callable[[str], str]], ...] = (
        ("Outcome", "outcome", found.outcomes, lambda name: look(name).word),
        ("Tool", "tool", found.tools, str),
        ("Service", "service", found.services, str),
        ("Warning", "warning", found.warnings, warning),
    )
    return tuple(
        Facet(
            name=word,
            values=tuple(_value(name, value, number, said, filters) for value, number in values[:SHOWN_MAX]),
            hidden=max(0, len(values) - SHOWN_MAX),
        )
        for word, name, values, said in kinds
        if len(values) > (0 if name == "warning" else 1) and all(name != other for other, _ in filters)
    )


def _value(
    name: str, value: str, number: int, said: Callable[[str], str], filters: list[tuple[str, str]]
) -> FacetValue:
    return FacetValue(
        label=said(value),
        number=number,
        href=href_of("/calls", [*filters, (name, value)]),
        outcome=value if name == "outcome" else None,
    )


def advice_of(asked: Asked, now_ns: int, number_of: Callable[[CallFilter], int]) -> tuple[Advice, ...]:
    """How many calls there would be without each of the filters."""
    filters = told_filters(asked)
    found = []
    for index in range(len(filters)):
        others = filters[:index] + filters[index + 1 :]
        number = number_of(ask(QueryParams(others), now_ns).filter)
        chip = chip_of(index, filters)
        shown = f"more than {count(COUNTED_MAX)}" if number > COUNTED_MAX else count(number)
        found.append(Advice(label=chip.label, number=shown, href=chip.without_href, any=number > 0))
    return tuple(found)
