"""What a format may want to know beside the report: the contracts, where things stand, and how the run ended."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.model import Outcome, Severity

if TYPE_CHECKING:
    from contracts.config.catalogue import Catalogue
    from contracts.config.places import Path, Place
    from contracts.config.rows import Layer
    from contracts.config.yaml_loader import Document
    from contracts.model import Contract, Finding, Waiver


class Spot(Struct, frozen=True):
    """A place in a file: an absolute path; line and column counted from 1 in characters, None where not known."""

    path: str
    line: int | None = None
    column: int | None = None


class About:
    """The run around a report. YAML is read when the first question about it is asked, and never again.

    Attributes:
        status: the run's exit status.
        fail_on: what made it so.
        strict_waivers: whether a waiver that matched nothing made it so as well.
        indented: whether people read the output.
        environ: the variables of the process.
        root: absolute path of the folder that paths are told from.
    """

    def __init__(  # noqa: PLR0913 - all by name
        self,
        *,
        status: int = 0,
        fail_on: str = "unknown",
        strict_waivers: bool = False,
        config: str | None = None,
        has_rows: bool = True,
        indented: bool = False,
        environ: Mapping[str, str] | None = None,
        root: str | None = None,
    ) -> None:
        """Take what the run was asked to do.

        Args:
            status: the run's exit status.
            fail_on: what made it so.
            strict_waivers: whether a waiver that matched nothing made it so as well.
            config: the providers file that was named, or None to look for it where the run did.
            has_rows: whether the run judged by rows of a providers file.
            indented: whether people read the output.
            environ: None is the process's own.
            root: None is the checkout of a GitHub workflow, else the repository around the present folder, else that.
        """
        self.status, self.fail_on, self.indented = status, fail_on, indented
        self.strict_waivers = strict_waivers
        self.environ = os.environ if environ is None else environ
        self.root = os.path.realpath(root or self.environ.get("GITHUB_WORKSPACE") or _repository(os.getcwd()))
        self._config, self._has_rows = config, has_rows
        self._catalogue: Catalogue | None = None

    def counts(self, finding: Finding) -> bool:
        """Tell whether the exit status counts a finding, or would if nothing worse had been found.

        An unknown counts where it is an error, unless no source in use can show it, or the run ended well all the
        same, as the gate does for a row that is pending.
        """
        if finding.outcome is Outcome.VIOLATED:
            return finding.severity is Severity.ERROR or (
                self.fail_on == "warning" and finding.severity is Severity.WARNING
            )
        return (
            finding.outcome is Outcome.UNKNOWN
            and finding.severity is Severity.ERROR
            and not finding.beyond
            and self.fail_on in ("unknown", "warning")
            and self.status != 0
        )

    def counts_stale(self) -> bool:
        """Tell whether the exit status counts a waiver that matched nothing."""
        return self.strict_waivers and self.fail_on != "never"

    def contract(self, contract_id: str) -> Contract | None:
        """Give a contract, or None where it is not known."""
        return self._read().contracts.get(contract_id)

    def waivers(self, provider: str) -> tuple[Waiver, ...]:
        """Give the waivers of a row; none where there is no such row."""
        row = self._read().providers.get(provider)
        return () if row is None else row.waivers

    def spot(self, finding: Finding) -> Spot | None:
        """Tell where a reader would act on a finding: its model in the row, what the row says of the contract, the row.

        A finding on a capture that belongs to no row is told with the capture's file.
        """
        row = self._read().sources.rows.get(finding.provider or "")
        if row is not None:
            layer = row.layers[-1]  # the row itself comes last, after those that it extends
            return _spot(layer.document, layer.document.key_place(_path_of(finding, layer)))
        ref = finding.evidence.ref if finding.provider is None and finding.evidence else ""
        # A capture of several exchanges is followed by the number of one.
        file = next((path for path in (ref, ref.rpartition("#")[0]) if os.path.isfile(path)), None)
        return None if file is None else Spot(os.path.realpath(file))

    def waivers_spot(self, provider: str) -> Spot | None:
        """Tell where a row has its waivers."""
        row = self._read().sources.rows.get(provider)
        if row is None:
            return None
        layer = row.layers[-1]
        path = (*layer.path, "waivers") if "waivers" in layer.row else layer.path
        return _spot(layer.document, layer.document.key_place(path))

    def contract_spot(self, contract_id: str) -> Spot | None:
        """Tell where a contract is written."""
        document = self._read().sources.contracts.get(contract_id)
        return None if document is None else _spot(document, document.key_place(("id",)))

    def relative(self, path: str) -> str | None:
        """Give a path from the root on, with slashes; None where it leads out of it."""
        inside = os.path.relpath(path, self.root)
        return None if inside == os.pardir or inside.startswith(os.pardir + os.sep) else inside.replace(os.sep, "/")

    def _read(self) -> Catalogue:
        if self._catalogue is None:
            from contracts.config import catalogue, library, search
            from contracts.config.cache import Cache, default_folder
            from contracts.errors import ConfigError

            cache = Cache(default_folder(self.environ))
            # The run told all problems already. Standard input was read then, and is empty now.
            try:
                path = search.find(self._config, self.environ, "") if self._has_rows else None
                self._catalogue = catalogue.read(path, cache, bytes, library.FOLDER, [])
            except ConfigError:  # the file has gone since
                self._catalogue = catalogue.read(None, cache, bytes, library.FOLDER, [])
        return self._catalogue


def _repository(folder: str) -> str:
    """The folder at or above this one that holds `.git`, or the folder itself where none does."""
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here


def _path_of(finding: Finding, layer: Layer) -> Path:
    models = layer.row.get("models")
    if finding.model is not None and isinstance(models, list) and finding.model in models:
        return (*layer.path, "models", models.index(finding.model))
    if finding.contract in (layer.row.get("contracts") or {}):
        return (*layer.path, "contracts", finding.contract)
    return layer.path


def _spot(document: Document, place: Place) -> Spot:
    return Spot(os.path.realpath(document.name), place.line, place.column)
