"""Pass on what is stored to other OTLP servers."""
