"""Exceptions. All but those of the system are :class:`Error`."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What this package can't do, and why.

    ``hint`` says what helps, where that is known. ``path``, ``record`` and ``line`` (from 1) and ``offset`` (bytes of the file
    as stored, from 0) say where, as far as that is known. ``report`` is what :func:`stats` counted before the error.
    """

    path: str | None
    record: int | None
    line: int | None
    offset: int | None
    hint: str | None
    report: Any = None

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        record: int | None = None,
        line: int | None = None,
        offset: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path, self.record, self.line, self.offset, self.hint = path, record, line, offset, hint
        if hint and hasattr(self, "add_note"):
            self.add_note(f"hint: {hint}")

    def __reduce__(self) -> Any:
        return _restored, (type(self), str(self), self.__dict__)


def _restored(kind: type[Error], message: str, state: dict[str, Any]) -> Error:
    error = kind.__new__(kind, message)
    error.args = (message,)
    error.__dict__.update(state)
    return error


class FormatError(Error, ValueError):
    """The data are cut, damaged, or of another format than they should be."""


class UsageError(Error, ValueError):
    """There is no such option, or its value makes no sense."""


class FileError(Error, OSError):
    """The system refuses to read or write."""

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def filename(self) -> str | None:
        return self.path


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class AccessError(FileError, PermissionError):
    """Reading or writing it isn't allowed."""


class FolderError(FileError, IsADirectoryError):
    """That is a folder, not a file."""


class InputWarning(UserWarning):
    """Something about an input is worth knowing; nothing is lost."""

