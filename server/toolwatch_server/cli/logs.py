"""Our own log holds no secret either: every value and every traceback goes through the rules first."""

import logging
from collections.abc import MutableMapping
from typing import Any, Final

import structlog

from toolwatch.redaction import Redactor

# Loggers of the libraries that serve requests; what they say of a failure may quote it.
THEIRS: Final = ("uvicorn", "uvicorn.error", "toolwatch.redaction.redactor")


def configure() -> None:
    """For the process: from now on, and for all that structlog or a web server's logger says."""
    *prepare, render = structlog.get_config()["processors"]
    processors = [*prepare, structlog.processors.format_exc_info, _hide, render]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("info"), processors=processors)
    for name in THEIRS:
        logger = logging.getLogger(name)
        if not any(isinstance(one, _Hide) for one in logger.filters):
            logger.addFilter(_Hide())


def _hide(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    redactor = Redactor.default()
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = redactor.text(value)[0]
        elif not isinstance(value, bool | int | float | None):
            event[name] = redactor.text(str(value))[0]
    return event


class _Hide(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        redactor = Redactor.default()
        record.msg, record.args = redactor.text(record.getMessage())[0], ()
        if record.exc_info:
            record.exc_text = redactor.text(logging.Formatter().formatException(record.exc_info))[0]
        return True
