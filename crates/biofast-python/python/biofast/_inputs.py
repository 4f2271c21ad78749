"""What is read: paths, and file objects."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Protocol, TypeGuard, Union, cast

from . import _biofast
from ._errors import UsageError


class Readable(Protocol):
    """A file object open as binary: ``open(path, "rb")``, ``io.BytesIO``, ``gzip.GzipFile``, ``socket.makefile("rb")`` …"""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


Path = Union[str, "os.PathLike[str]"]
Input = Union[Path, Readable]
Inputs = Union[Input, Iterable[Input]]


def is_object(input: object) -> TypeGuard[Readable]:
    """Whether this is an object to read from, and not a path. Some paths have a method ``read``, too."""
    return _biofast.is_object(input)


def opened(input: Input) -> str | Readable:
    """A path as text, or the object."""
    return os.fspath(input) if isinstance(input, (str, os.PathLike)) else input


def path_of(input: object, why: str) -> str:
    """The path; an object is an error that says why a path is needed."""
    if isinstance(input, (str, os.PathLike)):
        return os.fspath(cast(Path, input))
    raise TypeError(f"{why}: give a path, not {_biofast.object_name(input)}")


def listed(inputs: Inputs) -> list[str | Readable]:
    """One input, or several, as a list. None at all is an error: it would be standard input."""
    if isinstance(inputs, (str, os.PathLike)):
        return [os.fspath(inputs)]
    if is_object(inputs):
        return [inputs]
    if isinstance(inputs, (bytes, bytearray, memoryview)):
        raise TypeError("bytes are neither a path nor a file object: use os.fsdecode(path), or io.BytesIO(data)")
    if not isinstance(inputs, Iterable):
        kind = type(cast(object, inputs)).__name__
        raise TypeError(f"an input is a path or a file object that is open as binary, or there are several, not {kind}")
    several = [opened(input) for input in inputs]
    if not several:
        raise UsageError("no input: the list is empty ('-' is standard input)")
    return several
