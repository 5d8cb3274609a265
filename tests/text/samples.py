"""Texts for the damage tests: honest ones from the data files, and the ways in which the world damages them."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"


def honest() -> list[tuple[str, str]]:
    """Language and sentence, all written for these tests."""
    lines = (DATA / "honest.tsv").read_text(encoding="utf-8").splitlines()
    return [(language, sentence) for language, _, sentence in (line.partition("\t") for line in lines)]


def traps() -> list[str]:
    """Lines that look like damage and are none: code, tables, units, explanations."""
    return (DATA / "traps.txt").read_text(encoding="utf-8").splitlines()


def words() -> list[str]:
    """Words as they stand alone in a text."""
    return (DATA / "words.txt").read_text(encoding="utf-8").split()


def latin1(text: str) -> str:
    """Read the UTF-8 of a text as ISO-8859-1."""
    return text.encode().decode("latin-1")


def cp1252(text: str) -> str:
    """Read the UTF-8 of a text as windows-1252, the five holes as browsers do."""
    return "".join(
        chr(byte) if byte in {0x81, 0x8D, 0x8F, 0x90, 0x9D} else bytes([byte]).decode("cp1252")
        for byte in text.encode()
    )


PAGES = ("cp1250", "cp1251", "koi8-r", "cp437", "cp850", "mac-roman")


def misread(text: str, page: str) -> str:
    """Read the UTF-8 of a text by a code page; what is no character there is a control, or lost where bytes pair."""
    if page in {"gbk", "cp932"}:
        return text.encode().decode(page, "replace")
    table = bytes(range(256)).decode(page, "replace")
    return "".join(chr(byte) if table[byte] == "\ufffd" else table[byte] for byte in text.encode())


def _alphabet() -> dict[int, str]:
    """GPT-2's bytes_to_unicode, as its authors published it."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [byte for byte in range(0x100) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(0x100 + place) for place, byte in enumerate(moved)}


ALPHABET = _alphabet()


def bpe(text: str) -> str:
    """Write a text in the alphabet of byte-level BPE."""
    return "".join(ALPHABET[byte] for byte in text.encode())


def tokens(text: str) -> str:
    """Write what is beyond ASCII as byte tokens."""
    return "".join(c if c.isascii() else "".join(f"<0x{byte:02X}>" for byte in c.encode()) for c in text)
