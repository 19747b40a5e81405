"""Where the command line speaks: answers to standard output, complaints to standard error."""

import sys

from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def complain(message: str) -> None:
    err.print(message, style="red", markup=False, soft_wrap=True)


def plain(text: str) -> None:
    """As it is: no wrapping, no colour, fit for pipes."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
