"""The extension module."""

from collections.abc import Callable, Sequence

__all__ = ["__version__", "main", "page", "run"]

__version__: str

def run(
    words: Sequence[str], progress: Callable[[int], object] | None = None
) -> tuple[int, bytes, list[tuple[str, str]], BaseException | None]: ...
def main(words: Sequence[str]) -> int: ...
def page(json: str) -> str: ...
