"""python -m toolwatch_server"""

from toolwatch_server.cli import main

main()
