"""Every error we raise on purpose, as one tree. Each says whether trying the same again can help.

ToolwatchError
  Refused                 the same input would fail again
    Undecodable           not OTLP, or cut off                     400
    BadRequest            a request that makes no sense            400
    KeyMissing            no API key came along                    401
    KeyWrong              an API key came along, but not ours      403
    Forbidden             wrong host or foreign origin             403
    NotFound              nothing of that name                     404
    TooLarge              over the body limit                      413
    WrongMediaType        not protobuf, not JSON                   415
    BadFilter             a question we do not understand          422
    NotInstalled          the server lacks an optional package     501
  Later                   the same input may succeed later
    Busy                  the queue is full                        429
    StorageDown           the database does not answer             503
    Closing               the server is shutting down              503
  Broken                  an error that nobody foresaw            500
  CannotStart             a setting or a database stops the start
"""

from http import HTTPStatus
from typing import ClassVar


class ToolwatchError(Exception):
    """status is the HTTP status, retry whether the same input may succeed later."""

    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR
    retry: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(ToolwatchError):
    status = HTTPStatus.BAD_REQUEST


class Undecodable(Refused):
    pass


class BadRequest(Refused):
    pass


class KeyMissing(Refused):
    status = HTTPStatus.UNAUTHORIZED


class KeyWrong(Refused):
    status = HTTPStatus.FORBIDDEN


class Forbidden(Refused):
    status = HTTPStatus.FORBIDDEN


class NotFound(Refused):
    status = HTTPStatus.NOT_FOUND


class TooLarge(Refused):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class WrongMediaType(Refused):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class BadFilter(Refused):
    """field is the query parameter, allowed a sentence or a list of what may stand there."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(self, message: str, *, field: str, allowed: str | tuple[str, ...]) -> None:
        super().__init__(message)
        self.field = field
        self.allowed = allowed


class NotInstalled(Refused):
    status = HTTPStatus.NOT_IMPLEMENTED


class Later(ToolwatchError):
    """after_s is what a Retry-After header says."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    retry = True

    def __init__(self, message: str, *, after_s: int = 1) -> None:
        super().__init__(message)
        self.after_s = after_s


class Busy(Later):
    status = HTTPStatus.TOO_MANY_REQUESTS


class StorageDown(Later):
    pass


class Closing(Later):
    pass


class Broken(ToolwatchError):
    """id is that of the entry in this server's log."""

    def __init__(self, id_: str) -> None:
        super().__init__(
            f"This is a fault of Toolwatch, not yours. The server's log says what went wrong, under {id_}."
        )
        self.id = id_


class CannotStart(ToolwatchError):
    """code is short and searchable, for example S003."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code
