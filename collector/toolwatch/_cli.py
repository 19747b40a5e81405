"""The console script: hands over to the server's command line, or says how to install it."""

import sys

INSTALL = "pip install 'toolwatch[server]'"


def main() -> None:
    """Run the command line. Exits with 1 when the server extra is not installed."""
    try:
        from toolwatch_server.cli import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("toolwatch", "toolwatch_server"):
            raise
        sys.stderr.write(f"The toolwatch command needs the server. Install it with:\n\n    {INSTALL}\n\n")
        sys.exit(1)
    run()
