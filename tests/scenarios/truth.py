"""What truly happens in each scenario, as data: expected/<theme>.json.

    tool_call_id, tool, arguments   as the model wrote them; text where it did not parse
    outcome, error_type, handled_by, status (of the answer)      left out: null
    warnings    codes, sorted; left out: none
    told        what the model was shown in its next turn; left out: nothing, or no turn followed
    attempts    [{cause, outcome, error_type, discarded, late}], or "any" where it is a race
    group       calls asked for in one message carry the same label
    parent      the id of the call inside which this one ran

A text that ends with … is a beginning; a | between outcomes means that either is true.
"""

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "expected"
TRUTH: Final[dict[str, Any]] = {
    key: scenario
    for file in sorted(FOLDER.glob("*.json"))
    for key, scenario in json.loads(file.read_text(encoding="utf-8")).items()
}
