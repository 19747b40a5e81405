"""What leaves: calls, traces and threads in the formats of other tools (docs/exports.md)."""
