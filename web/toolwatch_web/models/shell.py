"""What surrounds every page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """section is the entry of the menu that is lit; query stands in the search box."""

    title: str
    now_ns: int
    section: str = ""
    query: str = ""
    development: bool = False
