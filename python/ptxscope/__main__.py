"""The command: python3 -m ptxscope, and what pip installs as ptxscope."""

import os
import sys

from .collection import environment, program


def main() -> None:
    """Becomes the program."""
    os.execve(program(), ["ptxscope", *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
