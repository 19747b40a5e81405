"""Runs scenarios in a process of their own, watched or not, and writes down what their callers saw.

    python -m tests.scenarios.worker OUT.json [--endpoint URL] [--scenarios S01,S02]

Every watched scenario reports under a service name of its own: its key.
"""

import argparse
import json
import os
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.scenarios.events import EventLog
from tests.scenarios.programs import SCENARIOS

LIBRARIES = ("langgraph", "langgraph-prebuilt", "langchain", "langchain-core")


def run(key: str) -> dict[str, Any]:
    log = EventLog()
    try:
        seen = SCENARIOS[key]({"callbacks": [log]})
    except ImportError as missing:  # the libraries are too old for this one
        return {"unavailable": str(missing)}
    return {**seen.as_data(), "events": log.events}


def run_watched(key: str, endpoint: str) -> dict[str, Any]:
    import toolwatch

    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"], os.environ["OTEL_SERVICE_NAME"] = endpoint, key
    toolwatch.instrument()
    try:
        seen = run(key)
        return {**seen, "flushed": toolwatch.flush(20.0)}
    finally:
        toolwatch.uninstrument()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--endpoint")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # deprecations of the watched libraries are not what is tested
    seen = {
        key: run_watched(key, asked.endpoint) if asked.endpoint else run(key)
        for key in asked.scenarios.split(",")
    }
    libraries = {name: version(name) for name in LIBRARIES}
    asked.out.write_text(json.dumps({"versions": libraries, "scenarios": seen}), encoding="utf-8")


if __name__ == "__main__":
    main()
