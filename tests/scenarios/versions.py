"""The oldest libraries that are supported, and what they do differently. Prints and runs:

    python -m tests.scenarios.versions      makes .cache/oldest and runs the scenarios in it

langgraph-prebuilt is pinned because its later 1.0 releases do not import beside these: they name things that
langgraph has had since 1.1.5 only. langchain before 1.0.3 has a ToolNode of its own.
"""

import json
import os
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from tests.scenarios.truth import TRUTH

OLDEST: Final = {
    "langgraph": "1.0.2",
    "langgraph-prebuilt": "1.0.2",
    "langchain": "1.0.3",
    "langchain-core": "1.0.7",
}
ROOT: Final = Path(__file__).parents[2]
HOME: Final = ROOT / ".cache" / "oldest"
CHANGES: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("oldest.json").read_text("utf-8"))


def truth_for(versions: dict[str, str]) -> dict[str, Any]:
    """The truth under these libraries: that of the latest, with the known differences of the oldest."""
    truth = deepcopy(TRUTH)
    if versions == OLDEST:
        for key, change in CHANGES.items():
            for call in truth[key]["calls"]:
                call.update(change["calls"].get(call["tool_call_id"], {}))
    return truth


def make() -> Path:
    """The Python of an environment with the oldest libraries and the collector alone."""
    uv, python = str(Path(sys.executable).with_name("uv")), HOME / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(HOME)], check=True)
    pins = [f"{name}=={version}" for name, version in OLDEST.items()]
    install = [uv, "pip", "install", "--quiet", "--resolution", "lowest-direct", "--python", str(python)]
    subprocess.run([*install, "--editable", str(ROOT), *pins], check=True)
    return python


def main() -> int:
    environment = {**os.environ, "TOOLWATCH_SCENARIO_PYTHON": str(make())}
    tests = [sys.executable, "-m", "pytest", "tests/scenarios", *sys.argv[1:]]
    return subprocess.run(tests, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
