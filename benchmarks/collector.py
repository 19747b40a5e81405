"""What recording costs an agent: without, with ours, and with other instrumentations of LangChain.

    python -m benchmarks.collector --write    # about five minutes; writes the table into docs/performance.md
    python -m benchmarks.collector --rounds 3 none toolwatch

Each variant is a process of its own that lives through all rounds; in each round every variant does the same
work, one after the other, in changing order. Ours sends to a sink in another process and redacts; the others
keep their spans in their batch processor and hand them to an exporter that throws them away.
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.collector_report import Samples, table, write

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent / ".cache" / "benchmarks"
FRAMEWORK = (
    "langgraph==1.2.24",
    "langgraph-prebuilt==1.1.3",
    "langchain-core==1.8.3",
    "langchain==1.5.2",
    "opentelemetry-sdk==1.45.2",
)
RIVALS = {
    "traceloop": "opentelemetry-instrumentation-langchain==0.62.4",
    "otel": "opentelemetry-instrumentation-genai-langchain==1.3b0",
    "openinference": "openinference-instrumentation-langchain==0.1.80",
}
CASES = {"graph1": 60, "graph9": 40, "tool": 500}  # how often, in one round
VARIANTS = ("none", "none again", "toolwatch", *RIVALS)


def python_of(variant: str) -> str:
    """The interpreter of a rival's own environment, made on first use; ours for the rest."""
    if variant not in RIVALS:
        return sys.executable
    place = CACHE / variant
    done = place / "ready"
    if not done.exists():
        uv = [sys.executable, "-m", "uv"]
        python = str(place / "bin" / "python")
        subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, place], check=True)
        install = [*uv, "pip", "install", "--quiet", "--python", python]
        subprocess.run([*install, RIVALS[variant], *FRAMEWORK], check=True)
        done.touch()
    return str(place / "bin" / "python")


class Worker:
    """One process; run() has it do a piece of work and answers with its (wall, CPU) microseconds."""

    def __init__(self, variant: str, sink: str) -> None:
        self._process = subprocess.Popen(
            [python_of(variant), HERE / "collector_worker.py", variant.removesuffix(" again"), sink],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def run(self, case: str, times: int) -> tuple[float, float]:
        self._stdin.write(f"{case} {times}\n")
        self._stdin.flush()
        wall_us, cpu_us = self._stdout.readline().split()
        return float(wall_us), float(cpu_us)

    def close(self) -> None:
        self._stdin.close()
        self._process.wait(30)


@contextmanager
def sink() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, HERE / "collector_sink.py"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def measure(variants: list[str], rounds: int) -> Samples:
    samples: Samples = {variant: {case: [] for case in CASES} for variant in variants}
    with sink() as url:
        workers = {variant: Worker(variant, url) for variant in variants}
        for worker in workers.values():
            for case, times in CASES.items():
                worker.run(case, times)  # warm: caches, connections, code that specialises itself
        for number in range(rounds):
            for case, times in CASES.items():
                for variant in random.sample(variants, len(variants)):
                    samples[variant][case].append(workers[variant].run(case, times))
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for worker in workers.values():
            with suppress(subprocess.TimeoutExpired):
                worker.close()
    return samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("variants", nargs="*", default=list(VARIANTS))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    given = parser.parse_args()
    samples = measure(given.variants, given.rounds)
    text = table(samples)
    print(text)
    if given.write:
        write(text)


if __name__ == "__main__":
    main()
