"""What a server writes into its own log holds no secret."""

import subprocess
import sys

SECRET = "Pa55-of-the-log"
PROGRAM = f"""
import logging, structlog
from toolwatch_server.cli import logs
logs.configure()
logs.configure()
text = "GET /find?q=postgresql://admin:{SECRET}@db.example.com/orders"
structlog.get_logger().error("failed", path=text, list=[text])
for say in (structlog.get_logger().exception, logging.getLogger("uvicorn.error").exception):
    try:
        raise ValueError(text)
    except ValueError:
        say("could not answer " + text)
logging.getLogger("uvicorn.error").error("told %s", text)
"""


def test_neither_values_nor_tracebacks_nor_the_web_servers_own_lines_hold_a_secret() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    said = done.stdout + done.stderr
    assert SECRET not in said
    assert said.count("ValueError: GET /find?q=postgresql://admin:[url-password]@db.example.com/orders") == 2
    assert "told GET /find" in said
