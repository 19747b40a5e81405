"""Does something right after a module has been imported, without importing it."""

import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from toolwatch._guard import report

Action = Callable[[], None]


class _After(Loader):
    """The module's own loader, with something to do after it."""

    def __init__(self, loader: Loader, done: Action) -> None:
        self._loader = loader
        self._done = done

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._done()


class _Finder(MetaPathFinder):
    def __init__(self, actions: Mapping[str, Action]) -> None:
        self.actions = dict(actions)
        self._busy = threading.local()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        action = self.actions.get(fullname)
        if action is None or getattr(self._busy, "on", False):
            return None
        self._busy.on = True
        try:
            spec = importlib.util.find_spec(fullname)
        except (ImportError, ValueError, AttributeError):
            return None
        finally:
            self._busy.on = False
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _After(spec.loader, lambda: self.run(fullname))
            return spec
        return None

    def run(self, name: str) -> None:
        action = self.actions.pop(name, None)
        if action is not None:
            action()


_finder: _Finder | None = None


def install(hooks: Mapping[str, Action], after_each: Action) -> None:
    global _finder  # noqa: PLW0603 there is one import system in a process
    if _finder is not None:
        return
    _finder = _Finder({name: _guarded(name, action, after_each) for name, action in hooks.items()})
    sys.meta_path.insert(0, _finder)
    for name in hooks:
        if name in sys.modules and not _half_imported(sys.modules[name]):
            _finder.run(name)


def remove() -> None:
    global _finder  # noqa: PLW0603 there is one import system in a process
    if _finder is not None and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    _finder = None


def _half_imported(module: ModuleType) -> bool:
    return bool(getattr(module.__spec__, "_initializing", False))


def _guarded(name: str, action: Action, after: Action) -> Action:
    def safe() -> None:
        try:
            action()
            after()
        except Exception as fault:
            report(f"hooking into {name}", fault)

    return safe
