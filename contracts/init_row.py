"""Write a row for a provider: from the library, or from what a new host's free endpoints say it is."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from contracts import dialects
from contracts.checks import counted
from contracts.config import append, files, search
from contracts.config import catalogue as catalogues
from contracts.config import library as shipped
from contracts.config.cache import Cache
from contracts.config.file_form import ModelId, Name, Url, Variable
from contracts.config.words import did_you_mean, show
from contracts.errors import ConfigError, EvidenceError
from contracts.evidence.keys import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contracts.config.guess import Guess
    from contracts.evidence.probe import Heard

SUGGESTED = 3  # models: enough to judge, few enough that somebody chooses
# What is asked of a host that nobody knows, in this order; all are GETs that list models.
PATHS = ("/models", "/v1/models", "/api/v1/models", "/v1beta/models", "/api/tags", "/tags")
FROM_THE_ROOT = ("/v1/models", "/models", *PATHS[2:-1])  # a host that answers at both documents the first
UNTOLD = (
    "whether a chat costs money (`billing: none` where none does), and how many free chats a day it allows",
    "how its streams end and where usage stands: `contracts check` shows that, and the row's `contracts` say it",
)


class InitSettings(Struct, frozen=True, kw_only=True):
    """What `contracts init` was asked to do.

    Attributes:
        target: the name of a shipped row, or the URL of a host.
        config: the providers file; None is the one above this folder, or a new one in it.
        name: the row's name; None takes the shipped row's, or makes one of the host's.
        api_key: the variable that holds the key, which is then sent to the host; None sends none.
        timeout_s: limit for all questions, in seconds.
    """

    target: str
    config: str | None = None
    name: str | None = None
    api_key: str | None = None
    timeout_s: float = 20.0


class Initialized(Struct, frozen=True, kw_only=True):
    """What was written where, what was found, and what could not be told."""

    path: str
    text: str
    found: tuple[str, ...]
    untold: tuple[str, ...]


def initialize(settings: InitSettings, environ: Mapping[str, str] = os.environ) -> Initialized:
    """Add a row to the providers file, and leave everything else in it as it is.

    Raises:
        ConfigError: for an unknown name, a row that is there already, or a file that cannot be read or written.
        EvidenceError: where the host does not answer, or with nothing that is known.
    """
    path = _file(settings.config, environ)
    there = files.read(path) if os.path.lexists(path) else None
    taken = set(catalogues.load(path).providers) if there is not None and there.strip() else set()
    known = shipped.read(Cache(None)).providers
    is_url = "://" in settings.target
    name = settings.name or (_name_of(_base(settings.target)) if is_url else settings.target)
    _check(name, Name, "--as")
    if settings.api_key is not None:
        _check(settings.api_key, Variable, "--key")
    if name in taken:
        raise ConfigError(f"{path}: expected no provider {show(name)}, found one; it is left as it is")
    if is_url:
        row, found, untold = _from_host(settings, known, name, environ)
    else:
        if settings.target not in known:
            near = did_you_mean(settings.target, known)
            raise ConfigError(f"unknown provider {show(settings.target)}{near}; name a shipped row, or give a URL")
        row = {"extends": settings.target, **({"api_key": settings.api_key} if settings.api_key else {}), "models": []}
        found, untold = (f"{settings.target} is a row of the library",), ("which model ids your router allows",)
    _write(path, there, name, row)
    return Initialized(path=path, text=append.row_text(name, row), found=found, untold=untold)


def _file(config: str | None, environ: Mapping[str, str]) -> str:
    """Find the file to write; what stands in /etc or a home folder is for its owner to name."""
    named = config or environ.get("CONTRACTS_CONFIG")
    if named:
        return named
    above = list(search.places(environ, ""))[:-2]
    return next((path for path in above if os.path.isfile(path)), search.NAME)


def _check(text: str, kind: Any, option: str) -> None:
    if not _fits(text, kind):
        expected = "a name of letters, digits, '.', '_' and '-'" if kind is Name else "the name of a variable"
        raise ConfigError(f"{option}: expected {expected}, found {show(text)}")


def _name_of(url: str) -> str:
    """Make a name of a host: the part that its owner chose."""
    host = _host(url)
    if re.fullmatch(r"[0-9.]+|.*:.*", host):
        return re.sub(r"[^A-Za-z0-9]+", "-", host).strip("-") or "host"
    labels = [label for label in host.split(".") if label not in ("api", "www", "inference", "llm", "gateway")]
    return labels[-2] if len(labels) > 1 else labels[0] if labels else "host"


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _from_host(
    settings: InitSettings, known: Mapping[str, Any], name: str, environ: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]:
    """Make a row of what a host says of itself."""
    from contracts.config import guess as guesses
    from contracts.evidence import probe

    base = _base(settings.target)
    library = next((n for n, d in known.items() if _host(_base_of(d, n)) == _host(base) and not _is_local(base)), None)
    order = PATHS if urlsplit(base).path else FROM_THE_ROOT
    paths = dict.fromkeys(order, lambda value: guesses.guess(value) is not None)
    heard = probe.ask_all(base, paths, settings.api_key, settings.timeout_s, environ)
    told = [_said(one) for one in heard]
    guess = None if heard[-1].value is None else guesses.guess(heard[-1].value)
    key_row = {"api_key": settings.api_key or _variable(name)}
    wants_key = any(one.status in (401, 403) for one in heard)
    if library is not None:
        found = (*told, f"the library knows this host as {library}")
        row: dict[str, Any] = {"extends": library, **({"api_key": settings.api_key} if settings.api_key else {})}
        return {**row, "models": _suggested(guess) if guess else []}, found, UNTOLD[1:]
    if guess is None:
        if wants_key and settings.api_key is None:
            raise EvidenceError(
                f"{base}: the listing needs a key; name its variable with --key (such as {key_row['api_key']}), "
                "and it is sent to this host",
                "read",
            )
        raise EvidenceError(f"{base}: no model listing that is known: " + "; ".join(told), "read")
    base_url, path = _split(base, heard[-1].path, guess.dialect)
    has_key = wants_key or settings.api_key is not None
    row = {"dialect": guess.dialect, "base_url": base_url}
    if has_key:
        row |= key_row
    row |= {"models": _suggested(guess), "listing": {"path": path, **guess.listing}}
    return row, (*told, *_found(guess)), (*_untold(guess, has_key=has_key), *UNTOLD)


def _base(url: str) -> str:
    """Give the base of a URL, also of one that was copied with the path of a request."""
    base = url.partition("?")[0].partition("#")[0].rstrip("/")
    for ending in ("/chat/completions", "/v2/chat", "/models", "/api/tags", "/api/chat"):
        base = base.removesuffix(ending)
    if not _fits(base, Url) or not _host(base):
        shown = "one with '@' (not shown)" if "@" in base else show(base)
        raise ConfigError(f"expected an http or https URL without credentials, found {shown}")
    return base


def _fits(text: str, kind: Any) -> bool:
    try:
        msgspec.convert(text, kind)
    except msgspec.ValidationError:
        return False
    return True


def _base_of(document: Any, name: str) -> str:
    base = document.value["providers"][name].get("base_url")
    return base if isinstance(base, str) else ""


def _is_local(base: str) -> bool:
    """Tell hosts that mean another server on every machine."""
    return _host(base) in ("localhost", "127.0.0.1", "::1")


def _variable(name: str) -> str:
    plain = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return f"{plain}_API_KEY" if plain[:1].isalpha() else "API_KEY"


def _split(base: str, path: str, dialect: str) -> tuple[str, str]:
    """Divide what was asked into the base URL, which the dialect's chat path follows, and the listing's path."""
    prefix, _, last = path.rpartition("/")
    base_url, listing = f"{base}{prefix}", f"/{last}"
    asking = dialects.load_asking(dialect)
    version = re.search(r"(?<=[^/])/v[0-9]+\Z", base_url)
    if version is not None and asking is not None and re.match(r"/v[0-9]+/", asking.CHAT):
        # Where a chat's path names a version itself, the listing's is its own too.
        return base_url.removesuffix(version[0]), f"{version[0]}{listing}"
    return base_url, listing


def _said(one: Heard) -> str:
    return f"GET {one.path}: {one.trouble}" if one.trouble else f"GET {one.path}: status {one.status}"


def _found(guess: Guess) -> tuple[str, ...]:
    lines = [f"dialect {guess.dialect}, by its listing of {counted(len(guess.ids), 'model')}"]
    members = [m for m in guess.listing if m not in ("items", "id", "more")]
    if members:
        lines.append("the listing also tells " + ", ".join(members))
    if guess.free:
        lines.append(f"{counted(len(guess.free), 'model')} at a price of zero")
    return (*lines, *guess.hints)


def _untold(guess: Guess, *, has_key: bool) -> tuple[str, ...]:
    count = len(_suggested(guess))
    written = f"the first {count} are" if count > 1 else "one is" if count else "none is"
    lines = [f"which model ids your router allows; {written} written"]
    if guess.chat is None:
        lines.append("which models are for chat: the listing does not say")
    if not has_key:
        lines.append("whether a chat needs a key (`api_key`): the listing needs none")
    return tuple(lines)


def _suggested(guess: Guess) -> list[str]:
    """Choose a few models: for chat, those that cost nothing first."""
    able = guess.ids if guess.chat is None else guess.chat
    ordered: Iterable[str] = (*(m for m in able if m in guess.free), *(m for m in able if m not in guess.free))
    return [m for m in ordered if _is_id(m)][:SUGGESTED]


def _is_id(model: str) -> bool:
    """Tell whether a row may hold an id.

    One that a terminal would not show as it is, or that held our key, comes from nobody honest.
    """
    return _fits(model, ModelId) and model.isprintable() and HIDDEN not in model


def _write(path: str, there: bytes | None, name: str, row: Mapping[str, Any]) -> None:
    """Write the file whole or not at all, and see before that it reads as it should.

    Raises:
        ConfigError: where it does not, or cannot be written.
    """
    text = append.appended(None if there is None else there.decode(), name, row, path)
    beside = f"{path}.{os.getpid()}.new"
    try:
        with open(beside, "xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        read: Sequence[str] = catalogues.load(beside, use_cache=False).provider(name).models
        if list(read) != list(row["models"]):
            raise ConfigError(f"{path}: expected the models of the new row, found others; nothing was written")
        if there is None:
            os.link(beside, path)  # and not in the place of a file that came in between
        elif files.read(path) != there:
            raise ConfigError(f"{path}: expected the file as it was read, found it changed; nothing was written")
        else:
            os.chmod(beside, os.stat(path).st_mode & 0o7777)
            os.replace(beside, os.path.realpath(path))
    except OSError as error:
        raise ConfigError(f"{path}: expected a file to write, found: {error.strerror}") from error
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)
