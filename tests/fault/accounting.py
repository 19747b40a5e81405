"""Send spans, remember which were acknowledged, and compare with what is there."""

import threading
from dataclasses import dataclass, field
from itertools import count

import httpx2
from sqlalchemy import func, select

from tests import otlp
from toolwatch_server.storage import tables
from toolwatch_server.storage.engine import open_database

_numbers = count(1)


def spans(number: int) -> tuple[list[str], bytes]:
    """The ids of so many new calls, and a request that tells of them."""
    named = [f"call_{next(_numbers)}" for _ in range(number)]
    told = (otlp.a_tool_span(tool_call_id=name, **otlp.ids(int(name[5:]))) for name in named)
    return named, otlp.request(*told)


@dataclass
class Books:
    acknowledged: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)  # the server said so
    unknown: set[str] = field(default_factory=set)  # no answer came
    statuses: set[int] = field(default_factory=set)
    _http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=60, verify=False))

    def send(self, address: str, number: int = 5) -> int | None:
        """The status of the answer; None when there was none."""
        named, body = spans(number)
        headers = {"content-type": otlp.PROTOBUF}
        try:
            answer = self._http.post(f"{address}/v1/traces", content=body, headers=headers)
        except httpx2.HTTPError:
            self.unknown.update(named)
            return None
        self.statuses.add(answer.status_code)
        if answer.status_code == 200:
            self.acknowledged.update(named)
        else:
            assert "retry-after" in answer.headers, answer.text
            self.refused.update(named)
        return answer.status_code

    def send_until_taken(self, address: str, tries: int = 100) -> bool:
        return any(self.send(address) == 200 for _ in range(tries))

    def compare(self, database_url: str, *, refused_may_be_there: bool = False) -> None:
        """Each acknowledged call is there once. Of the others only what got no answer may be."""
        self._http.close()
        database = open_database(database_url)
        with database.read() as db:
            ids = list(db.execute(select(tables.calls.c.tool_call_id)).scalars())
            spans = db.execute(select(func.count()).select_from(tables.spans)).scalar_one()
        database.close()
        uncertain = self.unknown | (self.refused if refused_may_be_there else set())
        assert (len(ids), len(set(ids))) == (spans, spans), (len(ids), len(set(ids)), spans)
        lost = self.acknowledged - set(ids)
        assert not lost, lost
        surplus = set(ids) - self.acknowledged - uncertain
        assert not surplus, surplus


class Flood:
    """Several senders that send as fast as they can, until told to stop or the server is gone."""

    def __init__(self, books: Books, address: str, senders: int = 4) -> None:
        self._books = books
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(address,)) for _ in range(senders)]

    def __enter__(self) -> "Flood":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, address: str) -> None:
        while not self._stop.is_set():
            if self._books.send(address) is None:
                return
