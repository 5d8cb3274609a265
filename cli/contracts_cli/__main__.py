"""The console script: answers `--version` at once, parses quickly, and says whose fault an end is.

Nothing but `sys` is imported at the top. A timer runs this program at every poll, and a bare
interpreter takes 10 ms of CPU where Typer takes 90 and typing_extensions 25.
"""

from __future__ import annotations

import sys

VERSION = "0.1.0"

OUR_FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
CLOSED_PIPE = 141  # 128 + SIGPIPE: how `yes | head` ends
USAGE = 2


def main() -> int:
    """Run the program on `sys.argv` and return its exit status."""
    argv = sys.argv[1:]
    if sys.stdout is None or sys.stderr is None:
        _open_what_was_closed()
    try:
        if argv == ["--version"]:
            return _version()
        return _run(argv)
    except KeyboardInterrupt:
        sys.stderr.write("contracts: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        from contracts_cli.terminal import abandon_stdout

        abandon_stdout()
        return CLOSED_PIPE
    except Exception as error:  # noqa: BLE001 the border: whatever is left is a fault of this program
        return _our_fault(error, argv)


def _version() -> int:
    try:
        sys.stdout.write(f"contracts {VERSION}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from contracts_cli.terminal import complain, not_written

        complain(str(not_written(error)))
        return USAGE
    return 0


def _run(argv: list[str]) -> int:
    import_msgspec()
    from contracts.errors import CaptureError, ConfigError
    from contracts_cli.argv import parse

    try:
        chosen = parse(argv)
        if chosen is None:
            from contracts_cli.app import parse_with_typer

            parsed = parse_with_typer(argv)
            if isinstance(parsed, int):
                return parsed
            chosen = parsed
        command, settings = chosen
        status = command.run(settings)
    except (ConfigError, CaptureError) as error:
        from contracts_cli.terminal import complain

        complain(str(error))
        return USAGE
    sys.stdout.flush()
    return status


def import_msgspec() -> None:
    """Import msgspec without typing_extensions.

    msgspec prefers typing_extensions where it is installed and takes the same names from typing where
    it is not: get_type_hints, Required, NotRequired and Buffer, none of which our records need in a newer form than
    Python 3.11 has. Typer installs it, and importing it takes 25 of msgspec's 54 ms of CPU, two and a
    half bare interpreters. None in `sys.modules` makes the import fail; afterwards it may be imported.
    """
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # documented: halts the import
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]


def _open_what_was_closed() -> None:
    """Give a process that was started without standard output or error one that leads nowhere."""
    import os

    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 open until the process ends
    sys.stdout = sys.stdout or nowhere
    sys.stderr = sys.stderr or nowhere


def _our_fault(error: Exception, argv: list[str]) -> int:
    import os

    if os.environ.get("CONTRACTS_DEBUG") or "-v" in argv or "--verbose" in argv:
        import traceback

        traceback.print_exception(error)
    # ascii() and not scrub(): what failed may be an import of our own.
    message = ascii(str(error))[1:-1][:300]
    sys.stderr.write(
        f"contracts: a fault of this program: {type(error).__name__}: {message} (CONTRACTS_DEBUG=1 shows where)\n"
    )
    return OUR_FAULT


if __name__ == "__main__":
    sys.exit(main())
