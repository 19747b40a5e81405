"""Every part in every state, for those who work on the pages: only where the application is in debug mode."""

import time
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from toolwatch_server.errors import NotFound
from toolwatch_server.pages import respond
from toolwatch_web.gallery import gallery_page

router: Final = APIRouter(include_in_schema=False)


@router.get("/gallery")
def gallery(request: Request) -> Response:
    if not request.app.debug:
        raise NotFound("There is nothing at /gallery.")
    return respond.page(request, "gallery", gallery_page(), title="Gallery", now_ns=time.time_ns())
