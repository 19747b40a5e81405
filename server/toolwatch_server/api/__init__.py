"""The JSON API. routes.py puts it together; nothing is imported here, so that commands start fast."""
