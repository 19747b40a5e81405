"""What `pip install` gives to people who have no checkout."""

import re
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = str(Path(sys.executable).with_name("uv"))
ALLOWED = re.compile(
    r"toolwatch(_server|_web)?/(\w+/)*\w+\.py"
    r"|toolwatch(_server|_web)?/py\.typed"
    r"|toolwatch/redaction/rules\.json"
    r"|toolwatch_web/templates/(\w+/)*\w+\.(html|txt|jinja)"
    r"|toolwatch_web/static/(\w+/)*[\w.-]+\.(css|js|svg|png|woff2|json|md)"
    r"|toolwatch_web/static/vendor/[\w.-]*LICENSE[\w.-]*"
    r"|toolwatch_server/migrations/(env\.py|script\.py\.mako|versions/\d{4}_\w+\.py)"
    r"|toolwatch-[\d.]+\w*\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)"
)
HEAVY = (
    "fastapi",
    "starlette",
    "sqlalchemy",
    "alembic",
    "pydantic",
    "langchain",
    "langgraph",
    "re2",
    "uvicorn",
    "typer",
    "rich",
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dist = tmp_path_factory.mktemp("dist")
    run(UV, "build", "--quiet", "--wheel", "--out-dir", str(dist), str(ROOT))
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("light"), str(wheel))


@pytest.fixture(scope="module")
def full(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("full"), f"{wheel}[server]")


def run(program: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def environment(home: Path, requirement: str) -> Path:
    """An environment with nothing but the requirement in it; returns its folder of programs."""
    run(UV, "venv", "--quiet", "--python", sys.executable, str(home / "venv"))
    programs = home / "venv" / "bin"
    run(UV, "pip", "install", "--quiet", "--python", str(programs / "python"), requirement)
    return programs


def test_the_wheel_holds_the_packages_the_pages_and_the_migrations_but_no_stray_file(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert [name for name in names if not ALLOWED.fullmatch(name)] == []
    assert any(name.startswith("toolwatch_web/templates/") for name in names)
    assert any(name.startswith("toolwatch_web/static/") for name in names)
    assert any(name.startswith("toolwatch_server/migrations/versions/0001_") for name in names)


def test_importing_the_collector_loads_nothing_but_itself_and_opentelemetry(
    light: Path, tmp_path: Path
) -> None:
    loaded = run(
        str(light / "python"), "-c", "import sys, toolwatch; print(*sys.modules)", cwd=tmp_path
    ).stdout.split()

    assert "toolwatch" in loaded
    assert sorted({name.split(".")[0] for name in loaded} & set(HEAVY)) == []


def test_an_agent_without_any_framework_can_be_instrumented(light: Path, tmp_path: Path) -> None:
    program = "import toolwatch; toolwatch.instrument(); toolwatch.uninstrument(); print('fine')"

    assert run(str(light / "python"), "-c", program, cwd=tmp_path).stdout.strip() == "fine"


def test_the_command_without_its_extra_names_the_one_command_that_installs_it(
    light: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [str(light / "toolwatch"), "serve"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "pip install 'toolwatch[server]'" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_an_installed_server_brings_a_new_database_up_to_date_away_from_the_checkout(
    full: Path, tmp_path: Path
) -> None:
    run(
        str(full / "toolwatch"),
        "db",
        "upgrade",
        "--database-url",
        f"sqlite:///{tmp_path}/new.db",
        cwd=tmp_path,
    )

    with sqlite3.connect(tmp_path / "new.db") as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "toolwatch_schema" in tables
    assert "calls" in tables
