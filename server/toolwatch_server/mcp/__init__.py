"""Calls for coding agents: the tools of `toolwatch mcp`, over the API of a server. Reading only."""
