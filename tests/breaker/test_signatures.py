"""What the scanner can say of a text is known to all who decide by it: the breaker, the attribution and the actions."""

from __future__ import annotations

import pytest

from contracts.breaker.tally import Tally
from contracts.text import attribution
from contracts.text.damage import find
from contracts.text.pages import PAGES, WIDE
from tests.text.samples import bpe, cp1252, honest, latin1, misread, tokens

TEXT = "\n".join(sentence for _, sentence in honest())
DAMAGED = (
    latin1(TEXT),
    cp1252(TEXT),
    latin1(latin1(TEXT)),
    *(misread(TEXT, page) for page in (*PAGES, *WIDE)),
    bpe(TEXT),
    tokens(TEXT),
    "Grüße▁an▁alle, bis bald.",
    "Gr\ufffd\ufffde an alle",
    "Grüße \ud83d an alle",
    "锟斤拷锟斤拷",
    "烫烫烫烫烫烫烫烫",
)
FOUND = frozenset(damage.kind for text in DAMAGED for damage in find(text))


def test_every_signature_that_the_scanner_gives_has_its_words_and_no_other_has() -> None:
    assert FOUND == attribution.SIGNATURES
    assert len(FOUND) > len(PAGES) + len(WIDE)


@pytest.mark.parametrize("kind", sorted(FOUND))
def test_every_signature_is_of_the_wire_unless_a_model_wrote_it(kind: str) -> None:
    def arm(scope: str, *, attributable: bool = True) -> str | None:
        signature = f"{kind} [{scope}]" if scope else kind
        return Tally(provider="größe", model="b", verdict="mangled", signature=signature, attributable=attributable).arm

    assert (arm("provider"), arm(""), arm("model")) == ("encoding", "encoding", "content")
    assert {arm("undetermined"), arm("pipeline"), arm("provider", attributable=False)} == {None}
