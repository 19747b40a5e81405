"""The server: takes OTLP, keeps calls, shows them."""

from importlib.metadata import version

__version__ = version("toolwatch")
