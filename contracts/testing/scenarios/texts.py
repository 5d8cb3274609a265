"""Text with encoding damage: valid UTF-8, valid JSON, and wrong."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator

from contracts.testing.ask import Ask
from contracts.testing.reply import Reply
from contracts.testing.scenario import scenario
from contracts.testing.stream import Documents


def misread(text: str, codec: str) -> str:
    """Read the UTF-8 of a text by another codec, as a hop does that trusts a default."""
    return text.encode().decode(codec, "replace")


@scenario("reply", violates="text.intact")
def double_encoded(told: Reply, ask: Ask) -> None:
    """Reads its own UTF-8 as ISO-8859-1 and encodes that again: the fault this project was born from."""
    told.pieces = [misread(piece, "latin-1") for piece in told.pieces]


@scenario("reply", violates="text.intact")
def double_encoded_windows(told: Reply, ask: Ask) -> None:
    """Reads its own UTF-8 as Windows-1252 and encodes that again."""
    told.pieces = [misread(piece, "cp1252") for piece in ("café — ", "naïve ", "“fin” ", "déjà vu")]


@scenario("reply", violates="text.intact")
def double_encoded_cyrillic(told: Reply, ask: Ask) -> None:
    """Reads its own UTF-8 as Windows-1251, as a server with a Russian locale does, and encodes that again."""
    told.pieces = [misread(piece, "cp1251") for piece in told.pieces]


@scenario("reply", violates="text.intact")
def double_encoded_dos(told: Reply, ask: Ask) -> None:
    """Reads its own UTF-8 as code page 437, as a Windows console does, and encodes that again."""
    told.pieces = [misread(piece, "cp437") for piece in told.pieces]


@scenario("reply", violates="text.intact")
def double_encoded_chinese(told: Reply, ask: Ask) -> None:
    """Reads its own UTF-8 as GBK and encodes that again, and what is no character there is lost."""
    told.pieces = [misread(piece, "gbk") for piece in ("so — ", "voilà: ", "“fin” ", "你好，世界。今天")]


@scenario("reply", violates="text.intact")
def double_encoded_twice(told: Reply, ask: Ask) -> None:
    """Passes its text through two hops that each read UTF-8 as ISO-8859-1."""
    told.pieces = [misread(misread(piece, "latin-1"), "latin-1") for piece in told.pieces]


@scenario("reply", violates="text.intact")
def replacement_characters(told: Reply, ask: Ask) -> None:
    """Decodes token by token, so that characters whose bytes two tokens share become U+FFFD."""
    told.pieces = [cut.decode("utf-8", "replace") for piece in told.pieces for cut in halves(piece.encode())]


def halves(data: bytes) -> Iterator[bytes]:
    """Cut behind the first byte of the first character beyond ASCII."""
    at = next((at for at, byte in enumerate(data, 1) if byte >= 0xC0), len(data))  # noqa: PLR2004 - leading bytes
    yield data[:at]
    yield data[at:]


@scenario("documents", violates="text.intact")
def lone_surrogates(documents: Documents, ask: Ask) -> Documents:
    """Sends the first half of an emoji as an escape and never the second."""
    return (d._replace(text=d.text.replace("\U0001f680".encode(), b"\\ud83d")) for d in documents)


@scenario("reply", violates="text.intact")
def bpe_alphabet(told: Reply, ask: Ask) -> None:
    """Leaks the alphabet of a byte-level tokenizer: Ġ for a blank and Ċ for a line end."""
    told.pieces = ["Voil", "Ãł", "Ġune", "Ġphrase", "Ġavec", "Ġdes", "Ġmots", "Ċ", "ĊEt", "Ġune", "Ġautre"]


@scenario("reply", violates="text.intact")
def byte_tokens(told: Reply, ask: Ask) -> None:
    """Leaks byte tokens, <0xE2> and its like, in the place of characters."""
    told.pieces = ["Déjà vu ", "<0xE2>", "<0x80>", "<0x94>", " naïve ", "<0xF0>", "<0x9F>", "<0x9A>", "<0x80>"]
