"""How this server was set up, which rules hide what, and a place to try them on a text."""

from collections.abc import Mapping
from typing import Annotated, Final, Protocol
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from toolwatch.redaction import CREDENTIALS, Redactor, describe
from toolwatch_server.errors import TooLarge
from toolwatch_server.pages import respond
from toolwatch_server.pages.reading import Now
from toolwatch_web.json_tree import pieces
from toolwatch_web.models.parts import Fact
from toolwatch_web.models.settings import RuleRow, SettingsPage, Tried

FORM_BYTES: Final = 1_000_000
_BY_NAME: Final = {
    "secret-field": "the name of its field",
    "personal-field": "the name of its field",
    "own-key": "the name before it",
}

router: Final = APIRouter(include_in_schema=False)


class Chosen(Protocol):
    """What an operator chose, for everybody or for one service."""

    @property
    def tiers(self) -> tuple[str, ...]: ...
    @property
    def credentials(self) -> bool: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def allow(self) -> tuple[str, ...]: ...
    @property
    def patterns(self) -> Mapping[str, str]: ...


async def posted(request: Request) -> dict[str, str]:
    """The fields of the form. Raises TooLarge."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES:
            raise TooLarge(f"A text to try may have {FORM_BYTES} bytes.")
    return {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


@router.get("/settings")
def settings(request: Request, now_ns: Now) -> Response:
    return _page(request, now_ns, None)


@router.post("/settings")
def try_text(request: Request, now_ns: Now, form: Annotated[dict[str, str], Depends(posted)]) -> Response:
    """Nothing of the text is kept, logged or sent back but what is left of it."""
    redactor: Redactor = request.app.state.redaction.redactor
    hidden, hits = redactor.json_text(form.get("text", "").replace("\r\n", "\n"))
    tiers = {row["rule"]: row["tier"] for row in describe()}
    found = tuple(
        (hit.rule, tiers.get(hit.rule) or _BY_NAME.get(hit.rule, "own rule"), hit.count) for hit in hits
    )
    return _page(request, now_ns, Tried(left=pieces(hidden), found=found))


def _page(request: Request, now_ns: int, tried: Tried | None) -> Response:
    shown: dict[str, str] = request.app.state.shown_settings
    book = request.app.state.redaction
    model = SettingsPage(
        settings=tuple(Fact(label=name, text=text, mono=True) for name, text in shown.items()),
        rules=tuple(_rules(book.chosen)),
        services=tuple((name, _differences(own, book.chosen)) for name, (own, _) in book.services.items()),
        tried=tried,
    )
    return respond.page(request, "settings", model, title="Settings", now_ns=now_ns)


def _rules(chosen: Chosen) -> list[RuleRow]:
    def is_on(tier: str) -> bool:
        return chosen.credentials if tier == CREDENTIALS else tier in chosen.tiers

    own = [RuleRow(rule=name, tier="own", example=text, on=True) for name, text in chosen.patterns.items()]
    keys = [RuleRow(rule="own-key", tier="own", example=f"{key} = …", on=True) for key in chosen.keys]
    shipped = [RuleRow(on=is_on(row["tier"]), **row) for row in describe()]
    return [*own, *keys, *shipped]


def _differences(own: Chosen, common: Chosen) -> str:
    said = [f"tiers {', '.join(own.tiers)}"] if own.tiers != common.tiers else []
    said += [f"rule {name}" for name in own.patterns.keys() - common.patterns.keys()]
    said += [f"field {key}" for key in own.keys if key not in common.keys]
    said += [f"{len(own.allow) - len(common.allow)} allowed values"] if own.allow != common.allow else []
    return "; ".join(said) or "the same rules"
