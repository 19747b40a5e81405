"""What a person was asked, as a sentence shows it."""

import json

from toolwatch_server.domain.call import Call


def question_text(asked: str, call: Call) -> str:
    """An interrupt's value is any JSON; a single text in it is what a person was asked."""
    try:
        value = json.loads(asked)
    except ValueError:
        return asked
    if isinstance(value, dict):
        value = _of_approval(value, call)
        texts = [text for text in value.values() if isinstance(text, str)]
        return texts[0] if len(texts) == 1 else asked
    return value if isinstance(value, str) else asked


def _of_approval(value: dict[str, object], call: Call) -> dict[str, object]:
    """LangChain's approvals ask about several calls at once: what is asked about this one."""
    asked = value.get("action_requests")
    items = asked if isinstance(asked, list) else []
    mine = [item for item in items if isinstance(item, dict) and item.get("name") == call.tool]
    exact = [item for item in mine if item.get("args") == call.arguments.value] or mine
    return {"description": exact[0].get("description")} if exact else value
