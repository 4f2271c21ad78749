"""The command line, which the package brings along: ``biofast`` and ``python -m biofast``."""

from __future__ import annotations

import sys

from . import _biofast


def main() -> None:
    """Runs the program with the words of this process."""
    from . import cluster

    words = sys.argv[1:]
    if cluster.takes(words):
        sys.exit(cluster.main(words))
    sys.exit(_biofast.main(["biofast", *words]))
