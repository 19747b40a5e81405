"""The one place that speaks protobuf: bytes to redacted records, and answers to bytes."""
