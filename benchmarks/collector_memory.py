"""Whether memory stays flat: python -m benchmarks.collector_memory [calls]

Makes many calls, a tenth of them through a graph, and prints the resident memory twenty times.
"""

import gc
import os
import sys
from pathlib import Path

import toolwatch
from benchmarks.collector import sink
from benchmarks.collector_worker import cases

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES / 1e6


def main(calls: int) -> None:
    work = cases()
    done = 0
    sizes: list[float] = []
    while done < calls:
        for _ in range(calls // 200):
            work["tool"]()
        for _ in range(calls // 200 // 81):
            work["graph9"]()
        done += calls // 200 + calls // 200 // 81 * 9
        if done * 20 // calls > len(sizes) - 1:
            toolwatch.flush()
            gc.collect()
            sizes.append(resident_mb())
            print(f"{done:>10,} calls  {sizes[-1]:7.1f} MB", flush=True)
    later = sizes[len(sizes) // 4 :]
    print(f"growth over the last three quarters: {later[-1] - later[0]:+.1f} MB")


if __name__ == "__main__":
    with sink() as url:
        toolwatch.instrument(endpoint=url, service_name="memory")
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
        toolwatch.uninstrument()
