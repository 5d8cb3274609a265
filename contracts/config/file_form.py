"""The form of providers.yaml and of the shipped rows: what may be written, before `extends` is resolved.

Defaults here mean "not written": a row is merged as it was written, then read again as a whole.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from contracts.auth import Auth
from contracts.model import ContractId, Pending, Waiver

# Python's `$` also matches before a line end, JSON Schema's does not; the look-ahead makes both say the same.
_END = r"(?!\n)$"

Name = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}" + _END, description="a name of letters, digits, '.', '_' and '-'"),
]
ModelId = Annotated[str, Meta(pattern=r"^[^\x00-\x20\x7f]{1,256}" + _END, description="a model id without spaces")]
Duration = Annotated[str, Meta(pattern=r"^[0-9]{1,6}[smhdw]" + _END, description="a duration such as 90m, 24h or 7d")]
Variable = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}" + _END, description="the name of a variable, such as ACME_API_KEY"),
]
Url = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^\x00-\x20/?#@\\]+(/[^\x00-\x20?#@\\]*)?" + _END,
        description="an http or https URL without credentials",
    ),
]
Sink = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+" + _END, description="the URL of a note sink, a path or -")]
Expression = Annotated[str, Meta(min_length=1, max_length=1000, description="a JMESPath expression")]

Parameter = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}" + _END, description="the name of a parameter of a query"),
]


class ModelsFrom(Struct, frozen=True, forbid_unknown_fields=True, rename={"file": "from"}):
    """Model ids from a file, one a line or as a YAML or JSON list; `-` is standard input."""

    file: Annotated[str, Meta(min_length=1, description="the path of a file, or -")]


class ListingForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the model listing is, and JMESPath for its entries and for the members of each entry.

    `prefix` and `suffix` are parts of an id, as they stand, that a request may leave out.
    `more` and `next` are over the whole answer: whether there are more pages, and by name the parameters that ask for
    the next one. `next_number` is for pages that are counted: it gives the number of the page that came.
    """

    path: (
        Annotated[
            str,
            Meta(
                pattern=r"^/[^\x00-\x20#]*" + _END,
                description="a path below the base URL, such as /models; /../models is beside it, on the same host",
            ),
        ]
        | None
    ) = None
    items: Expression | None = None
    id: Expression | None = None
    prefix: Annotated[str, Meta(min_length=1)] | None = None
    suffix: Annotated[str, Meta(min_length=1)] | None = None
    chat: Expression | None = None
    aliases: Expression | None = None
    deprecated: Expression | None = None
    replacement: Expression | None = None
    prices: Expression | None = None
    context_tokens: Expression | None = None
    output_tokens: Expression | None = None
    quantization: Expression | None = None
    parameters: Expression | None = None
    more: Expression | None = None
    next: dict[Parameter, Expression] | None = None
    next_number: dict[Parameter, Expression] | None = None


class EndpointForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of one model: where, and JMESPath for its endpoints and for the list of their prices.

    A POST sends `{"model": id}`.
    """

    path: Annotated[
        str,
        Meta(
            pattern=r"^/[^\x00-\x20#?]*" + _END,
            description="a path below the base URL with {id} for the model's id, such as /models/{id}/endpoints",
        ),
    ]
    count: Expression
    prices: Expression | None = None
    method: Literal["GET", "POST"] = "GET"


class Cited(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact about a provider, where it is written down or was seen, and when that was read."""

    says: Annotated[str, Meta(min_length=1)]
    where: Annotated[str, Meta(min_length=1)]
    read: date


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A provider as it is written. `extends` names a shipped row or another row of the file."""

    extends: Name | None = None
    dialect: Name | None = None
    base_url: Url | None = None
    api_key: Variable | None = None
    auth: Auth | None = None
    models: list[ModelId] | ModelsFrom | None = None
    listing: ListingForm | None = None
    endpoint: EndpointForm | None = None
    evidence_max_age: Duration | None = None
    free_chats_per_day: Annotated[int, Meta(ge=0, le=1000, description="a whole number from 0 to 1000")] | None = None
    billing: Literal["none", "metered"] | None = None
    contracts: dict[ContractId, dict[str, Any]] | None = None
    waivers: list[Waiver] | None = None
    pending: Pending | None = None
    sources: list[Cited] | None = None


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """providers.yaml: rows by name, and where notes go."""

    version: Literal[1]
    providers: dict[Name, Row]
    notes: list[Sink] | None = None
