"""What the tools of the stories raise."""

STACK = """Traceback (most recent call last):
  File "/usr/lib/python3.11/socket.py", line 706, in readinto
    return self._sock.recv_into(b)
TimeoutError: timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/.venv/lib/python3.11/site-packages/langgraph/prebuilt/tool_node.py", line 812, in _run_one
    response = tool.invoke(call_args, config)
  File "/app/.venv/lib/python3.11/site-packages/langchain_core/tools/base.py", line 640, in invoke
    return self.run(tool_input, **kwargs)
  File "/app/shop/payments.py", line 42, in charge_card
    return gateway.charge(card, amount)
  File "/app/shop/gateway.py", line 17, in charge
    raise TimeoutError("no answer from the gateway after 2.0 s")
TimeoutError: no answer from the gateway after 2.0 s"""
TIMEOUT = ("TimeoutError", "no answer from the gateway after 2.0 s", STACK)
