"""A memory of bounded size."""

from collections import OrderedDict
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """The last few entries, oldest forgotten first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: OrderedDict[object, T] = OrderedDict()

    def __setitem__(self, key: object, item: T) -> None:
        self._items[key] = item
        self._items.move_to_end(key)
        while len(self._items) > self._size:
            self._items.popitem(last=False)

    def get(self, key: object) -> T | None:
        return self._items.get(key)

    def newest(self, number: int) -> list[T]:
        return list(islice(reversed(self._items.values()), number))

    def pop(self, key: object) -> T | None:
        return self._items.pop(key, None)

    def __len__(self) -> int:
        return len(self._items)
