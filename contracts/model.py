"""The nouns of the project: frozen values that every other module speaks in.

All are msgspec Structs, also those that are never decoded: creating a dataclass costs ten times
as long, and start-up time is a feature of a program that a timer runs.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from contracts.auth import Auth
from contracts.facts import Facts


class Outcome(StrEnum):
    """What a contract came to. `unknown` is never folded into one of the first two."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    WAIVED = "waived"
    NOT_APPLICABLE = "not-applicable"


class Scope(StrEnum):
    """Whose fault a violation is. `pipeline` is ours: the request, or a hop that we run."""

    PROVIDER = "provider"
    MODEL = "model"
    PIPELINE = "pipeline"
    UNDETERMINED = "undetermined"


class Severity(StrEnum):
    """How much a violation matters; only an error makes the program exit with 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Source(StrEnum):
    """Where evidence comes from. `synthetic` was played by a hostile provider of our own."""

    LIVE = "live"
    OBSERVED = "observed"
    RECORDED = "recorded"
    SYNTHETIC = "synthetic"


class Ended(StrEnum):
    """How a connection ended, as far as the capture shows it."""

    COMPLETE = "complete"
    CUT = "cut"
    UNKNOWN = "unknown"


Headers = tuple[tuple[str, str], ...]


class Request(Struct, frozen=True, kw_only=True):
    """What was asked.

    `url` is absolute or a path, as the capture has it. `body` is None where it is not known, which
    is not the same as empty. `keyless`: credentials were left out on purpose.
    """

    method: str = ""
    url: str = ""
    headers: Headers = ()
    body: bytes | None = None
    keyless: bool = False


class Exchange(Struct, frozen=True, kw_only=True):
    """One HTTP request and its answer as bytes; header order and duplicates are kept.

    `body` is the chunks in order of arrival, `arrivals_ms` their times in ms since the request was
    sent, or None where the capture has none. `source` and `at` are what the capture says of itself.
    """

    request: Request
    status: int
    headers: Headers
    body: tuple[bytes, ...]
    ref: str
    ended: Ended = Ended.UNKNOWN
    arrivals_ms: tuple[float, ...] | None = None
    source: Source = Source.RECORDED
    at: datetime | None = None


class Where(Struct, frozen=True, kw_only=True):
    """Place of a finding: event counted from 0, byte of the body counted from 0, header in lower case."""

    event: int | None = None
    byte: int | None = None
    header: str | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """What one check says of one Facts. `scope` None means the contract's own."""

    outcome: Outcome
    scope: Scope | None = None
    expected: str | None = None
    observed: str | None = None
    detail: str = ""
    reason: str | None = None
    where: Where = Where()


class Evidence(Struct, frozen=True, kw_only=True):
    """Facts with where they come from: what a check judges and what a finding names."""

    facts: Facts
    source: Source
    ref: str
    at: datetime | None = None


class EvidenceRef(Struct, frozen=True, kw_only=True):
    """The part of Evidence that a finding shows."""

    source: Source
    ref: str
    at: datetime | None = None


class WaiverRef(Struct, frozen=True, kw_only=True):
    """The waiver that a finding was waived by."""

    because: str
    owner: str
    until: date


class StaleWaiver(Struct, frozen=True, kw_only=True):
    """A waiver of a row that matched nothing in a run that did judge its contract."""

    provider: str
    contract: str
    model: str | None
    observed: str | None
    because: str
    owner: str
    until: date


class Novelty(Struct, frozen=True, kw_only=True):
    """What is new about a finding, as the state of earlier polls tells. A poll is a run that judged it.

    Attributes:
        state: `new`: violated now and not at the last poll. `ongoing`: violated now as at the last poll; of a finding
            that is `unknown` now, violated when it was last judged. `fixed`: held at this poll and violated at the
            last, which is told once. `flapping`: it changed three times or more within 24 hours or within 10 polls.
        since: when the violation began; where it flaps, the first of the last three changes.
        polls: how many polls saw that violation; where it flaps, how many there were from that change on. Both
            with this one, unless it could not be judged now or is fixed.
    """

    state: Literal["new", "ongoing", "fixed", "flapping"]
    since: datetime
    polls: int


class Finding(Struct, frozen=True, kw_only=True):
    """Contract × provider (× model): one line of the report.

    `new` and `novelty` are None without a state. `new` is None too where nothing was judged, and where it holds and no
    earlier run is known. `beyond` marks what is unknown because no source in use can show it, as where a row allows no
    chat: it is not required, and the exit status does not count it.
    """

    provider: str | None
    model: str | None
    contract: str
    outcome: Outcome
    severity: Severity
    scope: Scope
    expected: str | None
    observed: str | None
    detail: str
    reason: str | None
    where: Where
    evidence: EvidenceRef | None
    new: bool | None = None
    waiver: WaiverRef | None = None
    novelty: Novelty | None = None
    beyond: bool = False


# Python's `$` also matches before a line end, JSON Schema's does not; with the look-ahead both say the same.
ContractId = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+(?!\n)$",
        description="an id of the form area.promise in lower case, such as sse.charset",
    ),
]
Sentence = Annotated[str, Meta(min_length=1, description="a text that says something")]


class Citation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a promise is written down, and when that was read."""

    url: Sentence
    read: date


class Contract(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One promise, as its YAML document states it.

    `check` is a kind with its parameters. `note` is what a provider's row is told where the promise is broken.
    """

    id: ContractId
    promise: Sentence
    why: Sentence
    basis: Literal["spec", "hazard"]
    source: Citation
    needs: Literal["chat", "chat-stream", "listing", "error", "answer", "model", "timing", "polls"]
    scope: Scope
    severity: Severity
    check: dict[str, Any]
    note: str = ""


class Waiver(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A violation that the user lives with, for every model or for one, up to and including a date.

    `observed` is text that has to occur in what the finding observed; without it any violation is waived.
    """

    contract: ContractId
    because: Sentence
    owner: Sentence
    until: date
    model: str | None = None
    observed: Sentence | None = None


class Pending(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row that could not be judged yet and may be merged all the same, up to and including a date."""

    until: date
    because: Sentence


class Provider(Struct, frozen=True, kw_only=True):
    """A row of providers.yaml after `extends` and `{from: FILE}` were resolved.

    Attributes:
        name: the key of the row.
        dialect: the wire API it speaks.
        base_url: without a slash at its end; None where the row has none, so that only captures can be judged.
        api_key: name of the variable that holds the key, never the key.
        auth: how the key is sent; None is the way of the dialect.
        models: ids that the router allows, in the order of the file, each once.
        listing: where the model listing is and how to read it: `path`, and JMESPath expressions.
        endpoint: where is said what serves one model, and how to read it: `path` with `{id}`, `method`, and JMESPath.
        evidence_max_age_s: how long kept evidence speaks for the provider, in seconds.
        free_chats_per_day: live chats a day on models that cost nothing; 0 is never.
        billing: `none` where no request can cost money.
        contracts: the parameters that the row sets, by contract id.
        own: ids of the contracts of one's own that the row names; they bind no other row.
        waivers: in the order of the files, those of the row that was extended first.
        pending: why the gate lets the row pass unjudged, and until when; of the row itself, never of one it extends.
    """

    name: str
    dialect: str
    base_url: str | None = None
    api_key: str | None = None
    auth: Auth | None = None
    models: tuple[str, ...] = ()
    listing: dict[str, Any] = field(default_factory=dict)
    endpoint: dict[str, Any] = field(default_factory=dict)
    evidence_max_age_s: int = 86_400
    free_chats_per_day: int = 1
    billing: Literal["none", "metered"] = "metered"
    contracts: dict[str, dict[str, Any]] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    pending: Pending | None = None
