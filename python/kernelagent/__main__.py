"""`python -m kernelagent` and the console script: the program itself, in the place of this process."""

from __future__ import annotations

import os
import sys

from kernelagent._native import KernelAgentError, own_environment, program


def main() -> int:
    try:
        path = str(program())
        os.execve(path, [path, *sys.argv[1:]], {**os.environ, **own_environment()})
    except KernelAgentError as error:
        print(f"kernelagent: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"kernelagent: cannot start the program: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
