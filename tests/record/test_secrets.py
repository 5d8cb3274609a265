"""What no cassette may hold is found however it is written, and honest words stay."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.captures.secrets import across, scrubbed

KEY = "acme-Zwiebel-0815-geheim"
HIDDEN = ("Zwiebel", "0815", "geheim")
LAW = settings(max_examples=150, deadline=None)


def nested(text: str) -> str:
    return json.dumps({"error": {"metadata": {"raw": json.dumps({"error": {"message": text}}, ensure_ascii=False)}}})


def escaped(text: str) -> str:
    return '{"m": "' + "".join(f"\\u{ord(c):04x}" for c in text) + '"}'


def based(text: str) -> str:
    return json.dumps({"b": base64.b64encode(f"größe {text} ende".encode()).decode()})


def url_based(text: str) -> str:
    return base64.urlsafe_b64encode(f"???>>> {text} ???".encode()).decode().rstrip("=")


def glued(text: str) -> str:
    return "abc" + base64.b64encode(f"vor {text} nach".encode()).decode()


def twice(text: str) -> str:
    return base64.b64encode(based(text).encode()).decode()


def in_a_comment(text: str) -> str:
    return f': it"s\n\ndata: {{"m": "\\n{text}\\t"}}\n\n'


WAYS = [str, nested, escaped, based, url_based, glued, twice, in_a_comment, lambda text: nested(based(text))]


@pytest.mark.parametrize("way", WAYS)
def test_a_known_key_is_overwritten_however_it_is_written(way: Any) -> None:
    body = way(KEY).encode()
    clean, removed = scrubbed(body, [KEY])
    assert removed["key"] >= 1
    assert len(clean) == len(body)
    assert scrubbed(clean, [KEY])[1] == {}
    assert all(part in readings(body.decode()) for part in HIDDEN)  # or the reading below would prove nothing
    assert not any(part in readings(clean.decode()) for part in HIDDEN)


def readings(text: str) -> str:
    """Everything that a text may be read as: unescaped, and as base64 at any alignment, again and again."""
    every = [text]
    for _ in range(4):
        text = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text).replace("\\", "")
        runs = [run[shift:] for run in re.findall(r"[A-Za-z0-9+/_-]{16,}", text) for shift in range(4)]
        plain = [run.replace("-", "+").replace("_", "/")[: len(run) // 4 * 4] for run in runs]
        text = "\n".join([text, *(base64.b64decode(run).decode("latin-1") for run in plain)])
        every.append(text)
        if len(text) > 100_000:
            break
    return "\n".join(every)


@pytest.mark.parametrize("written", ["acme%2BZ%2F0815%3D", "61636d652b5a2f303831353d", "=5180/Z+emca"])
def test_a_known_key_is_found_in_a_url_in_hex_and_backwards(written: str) -> None:
    assert scrubbed(f"é {written} ü".encode(), ["acme+Z/0815="])[1] == {"key": 1}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("secret", "what"),
    [
        ("sk-proj-aBcD1234efgh5678", "key"),
        ("gsk_aBcD1234efgh5678", "key"),
        ("AKIAIOSFODNN7EXAMPLE", "key"),
        ("Bearer 7f3a.9c-Zwiebel", "token"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln", "token"),
        ("maria.muster+x@post.example.org", "e-mail address"),
        ("org-AbCd1234EfGh5678", "account or organisation id"),
        ("user_2nAbCdEfGh12345678", "account or organisation id"),
        ("arn:aws:iam::123456789012:user/x", "account or organisation id"),
        ('"account_id": "9f8e7d6c"', "account or organisation id"),
        ('"organization_id":47110815', "account or organisation id"),
    ],
)
def test_what_nobody_named_is_found_by_its_form(way: Any, secret: str, what: str) -> None:
    said = secret.replace('"', '\\"') if way is in_a_comment else secret
    assert scrubbed(way(said).encode(), [])[1][what] >= 1


@pytest.mark.parametrize(
    "honest",
    [
        '{"id": "ask-anything-2024-07-18", "b": "risk-assessment-model-v2-large"}',
        '{"id": "sk-learn-pipeline", "owned_by": "organization-owner", "organization": "Meta"}',
        '{"role": "user", "user": "größe", "type": "bearer of good news"}',
        '{"id": "chatcmpl-9f8e7d6c5b4a39281706f5e4", "created": 1790000000, "system_fingerprint": "fp_44709d6fcb"}',
        '{"id": "nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free", "canonical_slug": "z-ai/glm-5.3-flash-20261001"}',
        '{"image": "' + base64.b64encode(bytes(range(256)) * 20).decode() + '"}',
        'data: {"content": "@ 20:00 — déjà vu, 你好 user@"}\n\n',
        "https://openrouter.ai/api/v1/models/a/b/endpoints",
    ],
)  # fmt: skip
def test_honest_answers_stay_as_they_are(honest: str) -> None:
    assert scrubbed(honest.encode(), [KEY]) == (honest.encode(), {})


def test_a_number_stays_a_number() -> None:
    clean, _ = scrubbed('{"account_id": 47110815, "grün": 1}'.encode())
    assert json.loads(clean) == {"account_id": 11111111, "grün": 1}


def test_letters_that_are_no_ascii_digits_do_not_spoil_the_text() -> None:
    clean, removed = scrubbed('{"m": "½²³@größe.example"}'.encode())
    assert removed == {"e-mail address": 1}
    assert json.loads(clean)["m"].strip("x") == ""


def test_a_key_that_is_too_short_to_be_told_from_words_is_not_looked_for() -> None:
    assert scrubbed("été".encode(), ["été", ""]) == ("été".encode(), {})


@LAW
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_key_between_any_bytes_is_overwritten_and_nothing_moves(before: bytes, after: bytes) -> None:
    body = before + KEY.encode() + after
    clean, _ = scrubbed(body, [KEY])
    assert len(clean) == len(body)
    assert KEY.encode() not in clean


@LAW
@given(st.text(alphabet='"\\ué{}sk-acme0123@.eyJ ', max_size=300))
def test_scrubbing_what_was_scrubbed_changes_nothing(text: str) -> None:
    clean, _ = scrubbed(text.encode(), [KEY])
    assert scrubbed(clean, [KEY])[0] == clean


def stream(*pieces: str) -> bytes:
    return b"".join(
        b"data: " + json.dumps({"id": "é", "choices": [{"delta": {"content": p}}]}).encode() + b"\n\n" for p in pieces
    )


@pytest.mark.parametrize("cut", range(1, len(KEY)))
def test_a_key_in_pieces_over_the_events_of_a_stream_is_found(cut: int) -> None:
    assert across(stream("größe ", KEY[:cut], KEY[cut:], " ende"), [KEY])["key"]
    assert across(b"\n".join(line[6:] for line in stream(KEY[:cut], KEY[cut:]).splitlines() if line), [KEY])["key"]


def test_pieces_of_an_honest_stream_make_no_secret() -> None:
    assert not across(stream("mail", "@", " 20:00 — ", "déjà", " vu"), [KEY])


@pytest.mark.parametrize(
    "evil",
    [b'"' + b'\\"' * 60_000, b"sk-" * 40_000, b"eyJ-" * 20_000, b"a@a." * 30_000, b"\\" * 100_000, b"MTEx" * 12_000],
)
def test_no_body_takes_longer_than_its_length_allows(evil: bytes) -> None:
    import time

    def seconds(data: bytes) -> float:
        started = time.process_time()
        scrubbed(data, [KEY])
        return time.process_time() - started

    # Twice as long takes twice the time; what is quadratic takes four times as long. The best of three tries counts.
    half = min(seconds(evil[: len(evil) // 2]) for _ in range(3))
    assert min(seconds(evil) for _ in range(3)) < 3 * half + 0.05


@pytest.mark.parametrize("write", [str.lower, str.upper, lambda key: "".join(f"%{ord(c):02x}" for c in key)])
def test_a_key_is_found_in_one_case_and_in_percent_signs_alone(write: Callable[[str], str]) -> None:
    key = "Zwiebel0815GeheimQxYv7"
    said = f'{{"größe": "{write(key)}"}}'.encode()
    clean, removed = scrubbed(said, [key])
    assert len(clean) == len(said)
    assert write(key).encode() not in clean
    assert removed["key"] == 1
