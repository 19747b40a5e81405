"""How fast secrets are hidden: throughput, short texts, hostile texts, and plain ``re`` beside it.

    python benchmarks/redaction.py

Times are CPU times of this process, best of several runs.
"""

import json
import random
import re
import string
import time
from collections.abc import Callable

from toolwatch.redaction import Redactor
from toolwatch.redaction.rules import shipped

SIZE = 100_000
LIMIT_MS = 500
DICE = random.Random(7)
HOSTILE = (
    *("a.a.", "aaaa", "curl curl ", '\\"', "\\\\\\", "password=", "password= ", 'token:"', "://a:b@", "%25"),
    *(
        "%2525",
        "4111 1111 ",
        "-----BEGIN PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.",
        "cookie: a=b; ",
        "&key=",
    ),
    *(
        "sk-",
        '{"a":',
        "authorization: bearer ",
        "QUFBQUFBQUFB",
        "api key ",
        "10.1.",
        "a.local",
        "password:\\",
    ),
    *("+1 2", "[[[[", "@@@@"),
)


def cpu_s(work: Callable[[str], object], text: str, runs: int = 5) -> float:
    best = float("inf")
    for _ in range(runs):
        begin = time.process_time()
        work(text)
        best = min(best, time.process_time() - begin)
    return best


def orders(with_ids: bool) -> str:
    rows = [
        {
            "order_id": f"A-{i}",
            "status": "shipped",
            "city": "Berlin",
            "note": "left at the door of the neighbour",
            "trace": f"{DICE.getrandbits(128):032x}" if with_ids else "none",
            "items": [{"sku": f"KX-{i}", "count": i % 7, "price": 12.5}],
        }
        for i in range(560)
    ]
    return json.dumps(rows)[: SIZE - 2].rpartition("}]}, ")[0] + "}]}]"


def texts() -> dict[str, str]:
    clean = orders(with_ids=False)
    base64 = "".join(DICE.choices(string.ascii_letters + string.digits + "+/", k=SIZE))
    trace = '  File "/app/agents/tools/search.py", line 120, in run\n    result = client.search(query)\n'
    secret = clean.replace("left at the door", "postgresql://app:b3cret9X@db/orders", 2)
    return {
        "clean JSON": clean,
        "JSON with hex ids": orders(with_ids=True),
        "JSON, two secrets": secret,
        "prose": ("The quick brown fox jumps over the lazy dog and waits. " * 2_000)[:SIZE],
        "stack trace": (trace * 1_200)[:SIZE],
        "base64": base64,
        "hex": f"{DICE.getrandbits(4 * SIZE):0{SIZE}x}",
    }


def throughput(redactor: Redactor) -> None:
    print(f"{'100 kB of':20} {'text()':>12} {'json_text()':>12}   MB/s")
    for name, text in texts().items():
        plain = len(text) / cpu_s(redactor.text, text) / 1e6
        parsed = f"{len(text) / cpu_s(redactor.json_text, text) / 1e6:12.1f}" if text[0] == "[" else ""
        print(f"{name:20} {plain:12.1f} {parsed}")


def against_re(redactor: Redactor) -> None:
    """The same patterns, one after the other, on the standard library's engine."""
    patterns = [re.compile(rule.pattern.encode()) for rule in shipped()]
    text = texts()["clean JSON"]
    part = text[: SIZE // 10]
    plain = len(part) / cpu_s(lambda t: [list(p.finditer(t.encode())) for p in patterns], part, 1) / 1e6
    ours = len(text) / cpu_s(redactor.text, text) / 1e6
    print(f"\nclean JSON: {ours:.1f} MB/s, with re {plain:.2f} MB/s: {ours / plain:.0f} times as fast")


def short(redactor: Redactor) -> None:
    print("\nshort texts, each seen for the first time")
    shapes = (
        '{"query": "weather in town %d", "top_k": 5}',
        "Order %d shipped to Berlin; arrives tomorrow.",
        '{"order_id": %d, "status": "shipped", "id": "3f2a9c1e-77aa-4c1e-9b1e-0f6d2a4b8c11"}',
        '{"password": "hunter2-%d", "user": "ana"}',
    )
    numbers = iter(range(1_000_000))
    for shape in shapes:
        seconds = cpu_s(lambda s: [redactor.json_text(s % next(numbers)) for _ in range(1_000)], shape)
        print(f"{seconds * 1_000:8.1f} µs  {shape}")


def hostile(redactor: Redactor) -> None:
    print("\nhostile texts of 100 kB")
    costs = {unit: 1_000 * cpu_s(redactor.text, (unit * SIZE)[:SIZE], 1) for unit in HOSTILE}
    for unit, cost in sorted(costs.items(), key=lambda pair: -pair[1])[:6]:
        print(f"{cost:8.1f} ms  {unit!r} repeated")
    print("all within" if max(costs.values()) < LIMIT_MS else "NOT within", f"{LIMIT_MS} ms")


def main() -> None:
    begin = time.process_time()
    redactor = Redactor.default()
    print(f"{len(shipped())} rules built in {1_000 * (time.process_time() - begin):.0f} ms\n")
    throughput(redactor)
    against_re(redactor)
    short(redactor)
    hostile(redactor)


if __name__ == "__main__":
    main()
