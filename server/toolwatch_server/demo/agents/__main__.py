"""One agent in a process of its own, as in production: python -m toolwatch_server.demo.agents weather

The collector learns where to send from the environment (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME).
"""

import argparse
import contextlib
import importlib
import random
import sys
import time
from collections.abc import Callable, Sequence

import toolwatch
from toolwatch_server.demo.casting import ALL_TOLD, CASTS, DOOMED


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cast", choices=CASTS)
    parser.add_argument(
        "--keep-going", action="store_true", help="tell the stories again and again, in any order"
    )
    arguments = parser.parse_args()

    toolwatch.instrument()
    stories = stories_of(arguments.cast)
    for story in stories:
        tell(story)
    toolwatch.flush()
    sys.stdout.write(f"{ALL_TOLD}\n")
    sys.stdout.flush()
    while arguments.keep_going:
        time.sleep(random.uniform(3, 9))
        tell(random.choice(stories))


def stories_of(cast: str) -> Sequence[Callable[[], None]]:
    module = importlib.import_module(f"toolwatch_server.demo.agents.{CASTS[cast]}")
    stories: Sequence[Callable[[], None]] = module.DOOMED_STORIES if cast == DOOMED else module.STORIES
    return stories


def tell(story: Callable[[], None]) -> None:
    """Most of the stories end badly; that is what they are for."""
    with contextlib.suppress(Exception):
        story()


if __name__ == "__main__":
    main()
