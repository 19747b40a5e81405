"""Samples of lists, of search, of the overview and of the server about itself."""

from dataclasses import replace

from toolwatch_web.gallery.call import facts
from toolwatch_web.gallery.trace import ticks
from toolwatch_web.gallery.values import NOW_NS, row
from toolwatch_web.models.lists import (
    Advice,
    ApiPage,
    ApiRoute,
    CallsPage,
    Chip,
    DestinationRow,
    Facet,
    FacetValue,
    Field,
    FindPage,
    InstanceRow,
    OverviewPage,
    ProblemPage,
    Rows,
    StatusPage,
    ToolPage,
    ToolRow,
    ToolsPage,
)
from toolwatch_web.models.parts import Count, ErrorRow, Row, Spark, Stack
from toolwatch_web.outcomes import LOOKS


def rows() -> tuple[Row, ...]:
    every = tuple(row(outcome) for outcome in LOOKS)
    return (
        *every,
        row("ok", tool=None, tool_call_id=None),
        row("ok", tool_call_id="", is_new=True, waited_ms=61_000.0),
    )


def tool_row() -> ToolRow:
    counts = (Count(label="ok", number=9, href="/calls", percent=100, outcome="ok"),)
    return ToolRow(
        tool="charge_card",
        calls=12_345,
        failed=7,
        executions=12_400,
        running=1,
        p50_ms=12.0,
        p95_ms=900.0,
        p99_ms=None,
        last_ns=NOW_NS,
        outcomes=counts,
        problems=(("amount", "Field required", 3),),
        spark=spark(),
    )


def spark() -> Spark:
    return Spark(width=4, height=20, total="M0.5 20v-20M2.5 20v-9", failed="M2.5 20v-4", label="a trend")


def tool_page(*, split: bool) -> ToolPage:
    return ToolPage(
        windows=(("Last day", "/tools/x?window=24h", True),),
        tool=tool_row(),
        split="-1d" if split else "yesterday",
        split_problem=None if split else "This has to be a time.",
        change=(("Calls", "12", "14", False), ("p95", "1.20 s", "300 ms", True)) if split else (),
        rows=rows()[:2],
        failures=rows()[:1],
    )


def tools_page(*, full: bool, stored: bool = True) -> ToolsPage:
    return ToolsPage(
        windows=(("Last day", "/tools?window=24h", True),),
        tools=(tool_row(),) if full else (),
        anything_stored=stored,
        problems=(("plan", "owner", "Field required", 3),) if full else (),
    )


def error_row(outcome: str | None = None) -> ErrorRow:
    return ErrorRow(
        error_type="TimeoutError",
        message="no answer after … s",
        tools=("charge_card",),
        count=3,
        first_ns=NOW_NS,
        last_ns=NOW_NS,
        last_key="c1",
        list_href="/calls?error_type=TimeoutError",
        outcome=outcome,
        is_new=outcome is None,
        spark=spark(),
    )


def overview_page(*, empty: bool) -> OverviewPage:
    some: tuple[Row, ...] = () if empty else (row("running"),)
    stack = Stack(
        x=0,
        width=4,
        label="03-01 04:00",
        layers=(("fail", 50, 50, "failed", 1), ("ok", 0, 50, "ok", 1)),
        total=2,
        failed=1,
    )
    return OverviewPage(
        window="24h",
        windows=(("Last day", "/?window=24h", True),),
        facts=facts(),
        stacks=(stack,),
        ticks=ticks(),
        highest=2,
        outcomes=tool_row().outcomes,
        tools=(tool_row(),),
        errors=(error_row(),),
        running=some,
        waiting=(),
        empty=empty,
        warnings=(Count(label="A secret", number=1, href="/calls", percent=100),),
        problems=(("plan", "owner", "Field required", 3),),
    )


def calls_page(*, full: bool, filtered: bool = False, stored: bool = True) -> CallsPage:
    some = Rows(
        rows=rows(),
        more_href="/calls?cursor=x",
        more_part="/parts/more-rows?cursor=x",
        live_part="/parts/live-rows?oldest=1",
        new=2,
    )
    value = FacetValue(label="charge_card", number=12, href="/calls?tool=charge_card")
    none = Rows(rows=(), more_href=None, more_part=None)
    fields = (
        Field(name="tool", label="Tool", value="x", problem="This has to be at most 2000 characters."),
        Field(
            name="failed",
            label="Failed",
            value="true",
            kind="select",
            options=(("", "either"), ("true", "failed")),
        ),
        Field(name="min_attempts", label="Attempts", value="", kind="number", placeholder="2"),
    )
    return CallsPage(
        rows=some if full else none,
        total=len(some.rows) if full else None,
        fields=fields,
        outcomes=tuple((name, True) for name in LOOKS),
        chips=(Chip(label="tool x", without_href="/calls"),) if filtered else (),
        downloads=(("CSV", "#"),),
        quick=(("All", "/calls", True),),
        problems=(("outcome", "This has to be one of the outcomes."),) if filtered else (),
        anything_stored=stored,
        facets=(Facet(name="Tool", values=(value, replace(value, outcome="ok")), hidden=3),) if full else (),
        facets_note="counted among the newest 2 000",
        advice=(Advice(label="tool x", number="12", href="/calls", any=True),) if filtered else (),
    )


def status_page() -> StatusPage:
    lost = InstanceRow(
        instance_id="a-1", service=None, last_seen_ns=NOW_NS, dropped=3, missing_hooks=("langgraph",)
    )
    well = InstanceRow(instance_id="a-2", service="shop", last_seen_ns=NOW_NS, dropped=0, missing_hooks=())
    fine = DestinationRow(
        name="jaeger", endpoint="http://jaeger.example:4318", only="everything", sent=12_400, waiting=0,
        waiting_since_ns=None, refused=0, given_up=0, last_sent_ns=NOW_NS - 2_000_000_000, error=None,
    )  # fmt: skip
    hanging = DestinationRow(
        name="tempo", endpoint="grpc://tempo.example:4317", only="failures", sent=310, waiting=42,
        waiting_since_ns=NOW_NS - 90_000_000_000, refused=1, given_up=3, last_sent_ns=None,
        error="no answer in 10 s",
    )  # fmt: skip
    return StatusPage(
        store=facts(), received=facts(), instances=(lost, well), kept=facts(), destinations=(fine, hanging)
    )


def problem_page() -> ProblemPage:
    return ProblemPage(
        status=422,
        heading="Not understood",
        text="limit cannot be 'x'.",
        details=(("limit", "1 to 500"),),
        links=(("Calls", "/calls"),),
    )


def find_page(*, found: bool) -> FindPage:
    return FindPage(
        query="call_0",
        tried=("as an id: call_0",),
        rows=rows()[:3] if found else (),
        hint="3 calls carry this id.",
        more_href="/calls" if found else None,
    )


def api_page() -> ApiPage:
    parameters = (("outcome", "One of ok, tool_error."),)
    route = ApiRoute(method="GET", path="/api/v1/calls", text="Calls, newest first.", parameters=parameters)
    return ApiPage(version="1", routes=(route,))
