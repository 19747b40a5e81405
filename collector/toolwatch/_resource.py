"""Who sends: the service, this process, and us."""

import os
import uuid

from opentelemetry.sdk.resources import Resource

from toolwatch._redact import Redaction
from toolwatch._version import __version__


def resource_of(service_name: str | None, redaction: Redaction) -> Resource:
    """By OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Every call makes a new ``service.instance.id``."""
    found = Resource.create()
    own: dict[str, str | int] = {
        "process.pid": os.getpid(),
        "service.instance.id": str(uuid.uuid4()),
        "telemetry.distro.name": "toolwatch",
        "telemetry.distro.version": __version__,
    }
    if service_name:
        own["service.name"] = service_name
    whole = found.merge(Resource(own))
    told = {name: redaction.name(v)[0] if isinstance(v, str) else v for name, v in whole.attributes.items()}
    return Resource(told, whole.schema_url)
