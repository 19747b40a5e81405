"""Who is in the demo, and the lines by which an agent's process tells what its model does."""

from typing import Final

CASTS: Final = {
    "payment": "payment",
    "weather": "weather",
    "search": "search",
    "email": "email",
    "doomed": "search",
}
DOOMED: Final = "doomed"  # dies in the middle of its only story

ASKED_FOR: Final = "asked for: "  # and the call as JSON
ALL_TOLD: Final = "all told"
