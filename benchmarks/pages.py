"""How long a page takes with many calls stored: server time as a browser on the same machine sees it.

    python -m benchmarks.pages                 # 100,000 calls in SQLite; minutes the first time
    python -m benchmarks.pages --calls 1000000
    python -m benchmarks.pages --database postgresql://user@host/empty_database
    python -m benchmarks.pages --write         # puts the table into docs/performance.md

The calls are made up once and kept in .cache/benchmarks. Pages are asked for one after the other, packed,
each as often as --rounds says, in changing order; the first five rounds are not counted.
"""

import argparse
import random
import time
from pathlib import Path
from typing import Final

import httpx2

from benchmarks.pages_data import HUGE_TRACE, a_known_call, prepare
from benchmarks.pages_report import Row, table, write
from tests.live import started

WARM_UP: Final = 5
CACHE: Final = Path(__file__).resolve().parents[1] / ".cache" / "benchmarks"
HTML: Final = {"accept": "text/html", "accept-encoding": "gzip"}


def pages(calls: int) -> dict[str, str]:
    key, call_id, thread_id = a_known_call(calls)
    return {
        "list": "/calls",
        "list, failed calls of one tool": "/calls?failed=true&tool=tool_03",
        "list, one outcome and a time": "/calls?outcome=cancelled&since=-7d",
        "list, words": "/calls?q=gateway+timeout",
        "list, words nobody used": "/calls?q=xylophone",
        "one call": f"/calls/{key}",
        "find by id": f"/find?q={call_id}",
        "overview, last day": "/",
        "overview, 30 days": "/?window=30d",
        "tools": "/tools",
        "one tool": "/tools/tool_03",
        "errors": "/errors",
        "thread": f"/threads/{thread_id}",
        "trace of 5,000 spans, first screen": f"/traces/{HUGE_TRACE}",
    }


def measure(address: str, pid: int, paths: dict[str, str], rounds: int) -> list[Row]:
    took_ms: dict[str, list[float]] = {name: [] for name in paths}
    busy_ms: dict[str, list[float]] = {name: [] for name in paths}
    sizes: dict[str, int] = {}
    order = list(paths)
    with httpx2.Client(base_url=address, headers=HTML, timeout=120, follow_redirects=True) as http:
        for number in range(WARM_UP + rounds):
            random.shuffle(order)
            for name in order:
                began, used = time.perf_counter(), cpu_ms(pid)
                answer = http.get(paths[name])
                spent_ms, used_ms = (time.perf_counter() - began) * 1000, cpu_ms(pid) - used
                answer.raise_for_status()
                sizes[name] = int(answer.headers.get("content-length", 0))
                if number >= WARM_UP:
                    took_ms[name].append(spent_ms)
                    busy_ms[name].append(used_ms)
    return [
        Row(name=name, took_ms=sorted(took_ms[name]), cpu_ms=sorted(busy_ms[name]), size_bytes=sizes[name])
        for name in paths
    ]


def cpu_ms(pid: int) -> float:
    """What all threads of the server have used so far: of use where the machine is busy with other work."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--database", help="an empty PostgreSQL; SQLite unless told")
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    url = said.database or f"sqlite:///{CACHE / f'pages-{said.calls}.db'}"
    prepare(url, said.calls)
    with started(url) as (server, address):
        rows = measure(address, server.pid, pages(said.calls), said.rounds)
    found = table(rows, calls=said.calls, rounds=said.rounds, database=url.partition(":")[0])
    print(found)
    if said.write:
        write(found, database=url.partition(":")[0], calls=said.calls)


if __name__ == "__main__":
    main()
