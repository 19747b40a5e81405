"""Style sheets, scripts and icons, under addresses that change with their content."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.errors import NotFound
from toolwatch_web import assets

router: Final = APIRouter(include_in_schema=False)
_FOR_EVER: Final = "public, max-age=31536000, immutable"


@router.get("/static/{path:path}")
def static(request: Request, path: str) -> Response:
    asset = assets.find(path)
    if asset is None:
        raise NotFound("There is no such file.")
    headers = {"cache-control": _FOR_EVER, "etag": f'"{asset.etag}"', "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            asset.body, media_type=asset.media_type, headers={**headers, "content-encoding": "gzip"}
        )
    return Response(asset.plain, media_type=asset.media_type, headers=headers)
