"""``python -m biofast``."""

from ._program import main

main()
