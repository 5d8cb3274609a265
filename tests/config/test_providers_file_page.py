"""docs/providers-file.md: its table has every member of a row, and its example reads."""

from __future__ import annotations

import os
import re
from pathlib import Path

from contracts.config import catalogue
from contracts.config.file_form import EndpointForm, ListingForm, Row
from contracts.model import Provider, Waiver

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "providers-file.md").read_text(encoding="utf-8")
CONTRACT = "contracts/library/contracts/reply.id.yaml"


def test_the_table_has_every_member_of_a_row_in_the_order_of_the_form() -> None:
    assert tuple(re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE)) == Row.__struct_fields__
    for form in (ListingForm, EndpointForm, Waiver):
        assert all(f"`{name}`" in PAGE for name in form.__struct_fields__)


def test_the_defaults_that_it_tells_are_those_of_a_row() -> None:
    row = Provider(name="größe", dialect="openai-chat")
    told = dict(re.findall(r"^\| `([a-z_]+)` \|.*\| `?(\w+)`? \|$", PAGE, re.MULTILINE))
    assert told["evidence_max_age"] == f"{row.evidence_max_age_s // 3600}h"
    assert told["free_chats_per_day"] == str(row.free_chats_per_day)
    assert told["billing"] == row.billing


def test_the_example_reads(tmp_path: Path) -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    (tmp_path / "providers.yaml").write_text(example[1], encoding="utf-8")
    (tmp_path / "models.txt").write_text("größe/eins\n", encoding="utf-8")
    os.mkdir(tmp_path / "contracts.d")
    own = (ROOT / CONTRACT).read_text(encoding="utf-8").replace("id: reply.id", "id: acme.greets")
    (tmp_path / "contracts.d" / "acme.greets.yaml").write_text(own, encoding="utf-8")
    read = catalogue.load(str(tmp_path / "providers.yaml"), use_cache=False)
    assert read.provider("openrouter").models == ("größe/eins",)
    assert read.provider("acme").models == ("acme-large", "acme-größe")
    assert read.provider("acme").own == ("acme.greets",)
