"""The published schemas are what the records make, and the shipped files name them."""

from __future__ import annotations

import os
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest

from contracts.config.file_form import ListingForm
from contracts.config.schemas import TYPES, path_of, schema_of, text_of
from contracts.config.yaml_loader import load
from contracts.dialects import ListingQuery

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "contracts" / "library"
MARK = "# yaml-language-server: $schema="
FILES = [ROOT / "providers.yaml", *LIBRARY.glob("contracts/*.yaml"), *LIBRARY.glob("providers/*.yaml")]


@pytest.mark.parametrize("name", TYPES)
def test_the_published_file_is_what_the_records_make(name: str) -> None:
    with open(path_of(name), "rb") as file:
        assert file.read() == text_of(name), "run python -m contracts.config.schemas"


@pytest.mark.parametrize("name", TYPES)
def test_a_schema_is_one_of_json_schema_2020_12(name: str) -> None:
    jsonschema_rs.meta.validate(schema_of(name))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_shipped_file_names_its_schema_in_its_first_line_and_fits_it(path: Path) -> None:
    first, _, _ = path.read_text(encoding="utf-8").partition("\n")
    assert first.startswith(MARK)
    schema = path.parent / first.removeprefix(MARK)
    name = "contract" if path.parent.name == "contracts" else "providers"
    assert os.path.realpath(schema) == os.path.realpath(path_of(name))
    validator = jsonschema_rs.Draft202012Validator(msgspec.json.decode(schema.read_bytes()), validate_formats=True)
    assert [error.message for error in validator.iter_errors(load(path.read_bytes(), path.name).value)] == []


def test_a_row_may_state_every_part_of_a_listing_that_a_dialect_reads() -> None:
    assert set(ListingForm.__struct_fields__) == {*ListingQuery.__struct_fields__, "path"}
