"""toolwatch serve"""

import socket
from typing import TYPE_CHECKING, Annotated

import typer

from toolwatch_server.cli.console import out
from toolwatch_server.errors import CannotStart

if TYPE_CHECKING:
    from toolwatch_server.settings import Settings

PORT_TAKEN = "S012"
_GRPC_HINT = (
    "This port is for OTLP/gRPC; an OpenTelemetry Collector or another tracing server may hold it. Choose "
    "another with --grpc-port (or TOOLWATCH_GRPC_PORT), or turn gRPC off with --grpc-port 0."
)


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 unless told.")] = None,
    port: Annotated[
        int | None, typer.Option(help="The port for pages, API and OTLP/HTTP; 4318 unless told.")
    ] = None,
    grpc_port: Annotated[
        int | None, typer.Option(help="The port for OTLP/gRPC; 4317 unless told, 0 turns it off.")
    ] = None,
    database_url: Annotated[
        str | None,
        typer.Option(help="sqlite:///path or postgresql://…; a file in your data directory unless told."),
    ] = None,
) -> None:
    """Take spans, keep calls, show pages: all on one port, and OTLP/gRPC on another.

    [bold]Examples[/bold]

      toolwatch serve

      toolwatch serve --port 8080 --database-url postgresql://toolwatch@localhost/toolwatch

      TOOLWATCH_API_KEY=… toolwatch serve --host 0.0.0.0
    """
    import uvicorn

    from toolwatch_server.app import create_app
    from toolwatch_server.cli import logs
    from toolwatch_server.settings import load
    from toolwatch_server.storage.exclusive import only_server_on

    logs.configure()
    settings = load(host=host, port=port, grpc_port=grpc_port, database_url=database_url)
    with _listen(settings) as listener, only_server_on(settings.database_url):
        app = create_app(settings)
        _greet(settings, listener.getsockname()[1], app.state.location)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=10,
        )
        server = uvicorn.Server(config)
        server.run(sockets=[listener])
        if not server.started:
            raise typer.Exit(3)


def _listen(settings: "Settings") -> socket.socket:
    """Taken before the database is opened, so that a second server fails at once and says why."""
    listener = _bind(
        settings.host,
        settings.port,
        hint="If another server runs there, stop it or choose another --port.",
    )
    if settings.grpc_port:
        # gRPC takes no socket that is open already, so this only asks whether it will get one.
        try:
            _bind(settings.host, settings.grpc_port, hint=_GRPC_HINT).close()
        except CannotStart:
            listener.close()
            raise
    return listener


def _bind(host: str, port: int, *, hint: str) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise CannotStart(
            f"Cannot listen on {host} port {port}: {error.strerror}. {hint}", code=PORT_TAKEN
        ) from None
    return listener


def _greet(settings: "Settings", port: int, location: str) -> None:
    shown = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104  # compared, not bound
    address = f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
    out.print(f"Toolwatch is at [bold]{address}[/bold]", soft_wrap=True)
    out.print(f"Send OTLP/HTTP to {address} (the default of OpenTelemetry SDKs is port 4318)", soft_wrap=True)
    if settings.grpc_port:
        grpc_host = f"[{shown}]" if ":" in shown else shown
        out.print(f"Send OTLP/gRPC to http://{grpc_host}:{settings.grpc_port}", soft_wrap=True)
    out.print(f"Calls are kept in {location}", soft_wrap=True, markup=False)
    if not settings.api_keys:
        reach = "this machine" if settings.on_loopback else "anyone who reaches the port"
        out.print(f"There is no API key: open to {reach}.")
