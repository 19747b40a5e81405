"""toolwatch serve"""

import socket
from typing import TYPE_CHECKING, Annotated

import typer

from toolwatch_server.cli.console import out
from toolwatch_server.errors import CannotStart

if TYPE_CHECKING:
    from toolwatch_server.settings import Settings

PORT_TAKEN = "S012"


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 unless told.")] = None,
    port: Annotated[
        int | None, typer.Option(help="The port for pages, API and OTLP/HTTP; 4318 unless told.")
    ] = None,
    grpc_port: Annotated[
        int, typer.Option(envvar="TOOLWATCH_GRPC_PORT", hidden=True, help="OTLP/gRPC: 0 is off.")
    ] = 0,
    database_url: Annotated[
        str | None,
        typer.Option(help="sqlite:///path or postgresql://…; a file in your data directory unless told."),
    ] = None,
) -> None:
    """Take spans, keep calls, show pages, all on one port.

    [bold]Examples[/bold]

      toolwatch serve

      toolwatch serve --port 8080 --database-url postgresql://toolwatch@localhost/toolwatch

      TOOLWATCH_API_KEY=… toolwatch serve --host 0.0.0.0
    """
    import structlog
    import uvicorn

    from toolwatch_server.app import create_app
    from toolwatch_server.settings import load

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("info"))
    settings = load(host=host, port=port, database_url=database_url)
    with _listen(settings) as listener:
        app = create_app(settings)
        _greet(settings, listener.getsockname()[1], app.state.location)
        if grpc_port:
            out.print("OTLP/gRPC is not served by this version; send OTLP/HTTP to the address above.")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=10,
        )
        uvicorn.Server(config).run(sockets=[listener])


def _listen(settings: "Settings") -> socket.socket:
    """Taken before the database is opened, so that a second server fails at once and says why."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise CannotStart(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
            "If another server runs there, stop it or choose another --port.",
            code=PORT_TAKEN,
        ) from None
    return listener


def _greet(settings: "Settings", port: int, location: str) -> None:
    shown = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104  # compared, not bound
    address = f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
    out.print(f"Toolwatch is at [bold]{address}[/bold]", soft_wrap=True)
    out.print(f"Send OTLP/HTTP to {address} (the default of OpenTelemetry SDKs is port 4318)", soft_wrap=True)
    out.print(f"Calls are kept in {location}", soft_wrap=True, markup=False)
    if not settings.api_keys:
        reach = "this machine" if settings.on_loopback else "anyone who reaches the port"
        out.print(f"There is no API key: open to {reach}.")
