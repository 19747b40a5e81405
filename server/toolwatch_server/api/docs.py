"""/api/docs: the routes of the API on one page, without scripts and without foreign origins."""

from html import escape
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · Toolwatch</title>
</head>
<body>
<main>
<h1>Toolwatch API {version}</h1>
<p>For programs: <a href="/api/openapi.json">openapi.json</a>.
Unknown and wrong parameters are refused with 422. Where the server has an API key, send it as
<code>Authorization: Bearer KEY</code> or <code>x-api-key: KEY</code>.</p>
{routes}
</main>
</body>
</html>
"""


@router.get("/api/docs")
def docs(request: Request) -> HTMLResponse:
    schema = request.app.openapi()
    routes = "\n".join(
        _route(method, path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    )
    return HTMLResponse(PAGE.format(version=escape(schema["info"]["version"]), routes=routes))


def _route(method: str, path: str, operation: dict[str, Any]) -> str:
    said = escape(operation.get("description", ""))
    title = f"<h2><code>{method.upper()} {escape(path)}</code></h2>\n<p>{said}</p>"
    rows = "".join(_row(parameter) for parameter in operation.get("parameters", ()))
    return f"{title}\n<dl>{rows}</dl>" if rows else title


def _row(parameter: dict[str, Any]) -> str:
    words = parameter["schema"].get("enum", ())
    allowed = f" One of {', '.join(words)}." if words else ""
    said = escape(parameter.get("description", "") + allowed)
    return f"<dt><code>{escape(parameter['name'])}</code></dt><dd>{said}</dd>"
