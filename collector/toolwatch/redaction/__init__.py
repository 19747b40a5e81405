"""Hiding secrets in what tools are given, return and raise. Needs the standard library alone."""

from toolwatch.redaction.marks import FAILED, MARK, Hit
from toolwatch.redaction.redactor import Redactor, describe
from toolwatch.redaction.rules import CREDENTIALS, INFRASTRUCTURE, PERSONAL, TIERS, InvalidRule

__all__ = [
    "CREDENTIALS",
    "FAILED",
    "INFRASTRUCTURE",
    "MARK",
    "PERSONAL",
    "TIERS",
    "Hit",
    "InvalidRule",
    "Redactor",
    "describe",
]
