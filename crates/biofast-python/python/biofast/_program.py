"""The command line, which the package brings along: ``biofast`` and ``python -m biofast``."""

from __future__ import annotations

import sys

from . import _biofast


def main() -> None:
    """Runs the program with the words of this process."""
    sys.exit(_biofast.main(["biofast", *sys.argv[1:]]))
