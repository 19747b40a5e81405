"""What a person can download or copy from a page is there."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from tests.live import Live, live
from tests.otlp import a_tool_span, ids, request


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("downloads")) as running:
        span = a_tool_span("pay", "call_pay", **ids(1), failed="no", more={"gen_ai.conversation.id": "a/b c"})
        running.send(request(span))
        yield running


@pytest.mark.parametrize(
    "page", ["call", f"/traces/{1:032x}", "/threads/a%2Fb%20c", "/calls?tool=pay&failed=true"]
)
def test_every_file_that_a_page_offers_can_be_had(server: Live, page: str) -> None:
    if page == "call":
        page = f"/calls/{server.calls()[0]['key']}"
    html = server.http.get(page, headers={"accept": "text/html"}).text

    offered = {
        unescape(href) for href in re.findall(r'(?:href|copy-from)="(/api/v1/[^"]+/export\?[^"]+)"', html)
    }

    assert len(offered) >= 3
    for address in offered:
        answer = server.http.get(address)
        assert answer.status_code == 200, address
        assert answer.content


def test_the_list_offers_what_it_shows(server: Live) -> None:
    html = server.http.get("/calls?tool=nobody", headers={"accept": "text/html"}).text
    some = server.http.get("/calls?tool=pay&outcome=tool_error", headers={"accept": "text/html"}).text

    assert "/api/v1/calls/export" not in html
    assert "/api/v1/calls/export?tool=pay&amp;outcome=tool_error&amp;format=csv" in some
