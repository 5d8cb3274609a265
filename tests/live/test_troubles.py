"""What an operator reads when there is no answer, and that one provider's trouble is its own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contracts.evidence import keys
from contracts.evidence.limits import Bounds
from contracts.evidence.proxies import is_direct, proxy_for
from contracts.testing import HostileProvider
from tests.live.conftest import ENDPOINT, FREE, KEY, Check, row

Provider = Callable[..., HostileProvider]


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that nobody listens on, kept so that nobody else takes it."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


class Strict:
    """A provider that answers every request with one status and a JSON error, until it is closed."""

    def __init__(self, status: str) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        body = '{"error":{"message":"Schlüssel falsch: sk-loopback-0123456789abcdef","type":"x","code":"x"}}'.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._answer = head.encode() + body
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(self._answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


@pytest.fixture
def strict() -> Iterator[Callable[[str], Strict]]:
    started: list[Strict] = []

    def start(status: str) -> Strict:
        started.append(Strict(status))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_nobody_listening_is_a_refusal_and_no_traceback(closed_port: int, check: Check) -> None:
    got = check({"cafe": row(f"http://127.0.0.1:{closed_port}/v1")})
    assert f"127.0.0.1:{closed_port} refused the connection" in got.reason("http.status")
    assert got.outcome("http.status") == "unknown"
    assert (got.violated, got.status) == (set(), 3)


def test_an_unknown_host_is_told_with_its_name(check: Check) -> None:
    got = check({"cafe": row("http://größe.invalid/v1")})
    assert "größe.invalid" in got.reason("http.status")
    assert "DNS" in got.reason("http.status")
    assert got.status == 3


@pytest.mark.parametrize(
    ("scenario", "trusted", "said"),
    [
        ("tls-expired", True, "has expired"),
        ("tls-other-host", True, "for another host"),
        ("declared", False, "unknown authority"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_told_apart(  # noqa: PLR0913, PLR0917 - three fixtures and a case
    scenario: str, trusted: bool, said: str, hostile_provider: Provider, check: Check, tmp_path: Path
) -> None:
    provider = hostile_provider(scenario, tls=True)
    assert provider.authority_pem is not None
    (tmp_path / "authority.pem").write_bytes(provider.authority_pem)
    environ = {"LOOPBACK_KEY": KEY} | ({"SSL_CERT_FILE": str(tmp_path / "authority.pem")} if trusted else {})
    got = check({"cafe": row(provider)}, environ=environ)
    assert said in got.reason("http.status")
    assert provider.request_count == 0


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_an_authority_of_ones_own_is_named_by_the_usual_variables(
    variable: str, hostile_provider: Provider, check: Check, tmp_path: Path
) -> None:
    provider = hostile_provider("declared", tls=True)
    assert provider.authority_pem is not None
    (tmp_path / "authority.pem").write_bytes(provider.authority_pem)
    got = check({"cafe": row(provider)}, environ={"LOOPBACK_KEY": KEY, variable: str(tmp_path / "authority.pem")})
    assert (got.violated, got.status) == (set(), 0)


def test_plain_http_behind_https_is_told(strict: Callable[[str], Strict], check: Check) -> None:
    got = check({"cafe": row(strict("400 Bad Request").base_url.replace("http:", "https:"))})
    assert "without TLS" in got.reason("http.status")


def test_a_missing_key_leaves_what_needs_none(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("declared")
    got = check({"cafe": row(provider)}, environ={})
    assert got.outcome("models.shape") == "holds"
    assert got.outcome("error.shape") == "holds"
    assert got.reason("reply.finish") == "LOOPBACK_KEY is not set"
    assert got.status == 3
    assert not any(a.keyed for a in provider.requests)


def test_a_refused_key_is_told_by_its_variable_and_never_shown(strict: Callable[[str], Strict], check: Check) -> None:
    got = check({"cafe": row(strict("401 Unauthorized").base_url)})
    assert got.reason("models.shape") == "the model listing refuses the key in LOOPBACK_KEY (status 401)"
    assert "http.status" in got.violated
    assert KEY not in repr(got.report)


def test_a_listing_that_needs_the_missing_key_says_so(strict: Callable[[str], Strict], check: Check) -> None:
    got = check({"cafe": row(strict("401 Unauthorized").base_url)}, environ={})
    assert got.reason("models.shape") == "the model listing needs a key, and LOOPBACK_KEY is not set (status 401)"
    assert got.outcome("http.status") == "unknown"
    assert (got.violated, got.status) == (set(), 3)


def test_a_key_comes_from_the_variable_its_file_or_systemd(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("sk-aus-der-datei\n", encoding="utf-8")
    (tmp_path / "A_KEY").write_text("sk-aus-systemd\n", encoding="utf-8")
    folder = str(tmp_path)
    for environ, want in (
        ({"A_KEY": " sk-direkt\n", "A_KEY_FILE": f"{folder}/file"}, "sk-direkt"),
        ({"A_KEY_FILE": f"{folder}/file", "CREDENTIALS_DIRECTORY": folder}, "sk-aus-der-datei"),
        ({"CREDENTIALS_DIRECTORY": folder}, "sk-aus-systemd"),
    ):
        key, why = keys.find("A_KEY", environ)
        assert key is not None
        assert (key.reveal(), why) == (want, "")
        assert (str(key), repr(key), f"{key}") == ("***",) * 3
    for environ, said in (
        ({}, "A_KEY is not set"),
        ({"A_KEY": "  "}, "A_KEY is not set"),
        ({"A_KEY_FILE": f"{folder}/nirgends"}, "A_KEY_FILE: no key can be read from the file"),
        (
            {"A_KEY": "sk-größe"},
            "A_KEY holds what no header can carry: expected printable ASCII, found another character at 6",
        ),
        ({"A_KEY": "sk-1\r\nX-Evil: 1"}, "A_KEY holds what no header can carry"),
    ):
        key, why = keys.find("A_KEY", environ)
        assert key is None
        assert why.startswith(said)


def test_one_providers_trouble_neither_delays_nor_fails_anothers_answer(
    hostile_provider: Provider, closed_port: int, check: Check
) -> None:
    stalled = [hostile_provider(name) for name in ("stall-before-headers", "slow-headers", "stall-after-headers")]
    good = hostile_provider("declared")
    rows = {f"stalled-{n}": row(p) for n, p in enumerate(stalled)}
    rows |= {"refused": row(f"http://127.0.0.1:{closed_port}/v1"), "cafe": row(good)}
    started = time.monotonic()
    got = check(rows, timeout_s=1.5)
    assert time.monotonic() - started < 5
    assert got.outcome("reply.finish") == "holds"
    assert got.outcome("models.resolve") == "holds"
    assert got.reason("reply.finish", "stalled-0").startswith("deadline: ")
    assert "refused the connection" in got.reason("reply.finish", "refused")
    assert got.status == 3


def test_what_had_come_by_the_deadline_is_judged(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("chat:stall-mid-stream")
    got = check({"cafe": row(provider)}, timeout_s=1.0)
    assert got.violated == {"sse.charset"}
    assert got.reason("reply.finish") == "deadline: the time was up while the answer was being read"


def test_providers_whose_turn_never_came_are_unknown(hostile_provider: Provider, check: Check) -> None:
    rows = {name: row(hostile_provider("stall-before-headers")) for name in ("a", "b")}
    got = check(rows, timeout_s=0.7, jobs=1)
    assert {got.reason("http.status", name) for name in rows} == {
        "deadline: the time was up while no answer had begun (model listing)",
        "deadline: the time was up before this provider's turn came",
    }


def test_only_connections_are_tried_again(hostile_provider: Provider, closed_port: int, check: Check) -> None:
    provider = hostile_provider("close-at-once")
    check({"cafe": row(provider, free_chats_per_day=0)}, retries=2)
    assert sorted(a.kind for a in provider.requests) == ["chat", "listing"]
    started = time.monotonic()
    check({"cafe": row(f"http://127.0.0.1:{closed_port}/v1")}, retries=1)
    assert time.monotonic() - started >= 0.25


def test_a_listing_that_pages_for_ever_is_left_after_the_limit(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("declared", "listing-endless")
    got = check({"cafe": row(provider)}, bounds=Bounds(pages=7))
    assert got.reason("models.shape") == "the listing goes on after 7 pages"
    assert sum(a.kind == "listing" for a in provider.requests) == 7
    assert got.outcome("models.resolve") == "holds"
    missing = check({"cafe": row(provider, models=["loopback/größe"])}, bounds=Bounds(pages=3))
    assert missing.outcome("models.resolve") == "unknown"


def test_a_listing_that_ignores_its_own_paging_leads_to_nothing_new(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("declared", "listing-endless")
    changed = row(provider, listing={"path": "/models", "next": {"cursor": "object"}})
    got = check({"cafe": changed})
    assert "leads to nothing new" in got.reason("models.shape")
    assert sum(a.kind == "listing" for a in provider.requests) == 2


def test_a_model_without_endpoints_does_not_resolve(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("declared", "no-endpoints")
    got = check({"cafe": row(provider, endpoint=ENDPOINT)})
    assert "models.resolve" in got.violated
    assert got.status == 1


def test_a_model_that_its_endpoints_serve_resolves_though_it_is_not_listed(
    hostile_provider: Provider, check: Check
) -> None:
    provider = hostile_provider("declared", "unlisted")
    assert check({"cafe": row(provider, endpoint=ENDPOINT)}).outcome("models.resolve") == "holds"
    assert check({"cafe": row(provider)}).outcome("models.resolve") == "violated"


def test_each_thing_is_asked_once_however_many_contracts_need_it(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("declared")
    check({"cafe": row(provider, endpoint=ENDPOINT, models=[FREE, "loopback/café"])})
    assert sorted((a.kind, a.model) for a in provider.requests if a.model) == [
        ("chat", "contracts-probe/no-such-model"),
        ("chat", FREE),
        ("endpoints", "loopback/café"),
        ("endpoints", FREE),
    ]
    assert provider.request_count == 5


def test_contracts_that_are_not_judged_are_not_asked_for(hostile_provider: Provider, check: Check) -> None:
    provider = hostile_provider("declared")
    check({"cafe": row(provider)}, contracts=("models.shape",))
    assert [a.kind for a in provider.requests] == ["listing"]


PROXIES = [
    ("https://api.example:443", {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
    ("https://api.example:443", {"https_proxy": "proxy:3128", "HTTPS_PROXY": "http://no"}, "http://proxy:3128"),
    ("https://api.example:443", {"ALL_PROXY": "socks5h://proxy"}, "socks5h://proxy:1080"),
    ("https://api.example:443", {"HTTP_PROXY": "http://proxy"}, None),
    ("http://api.example:80", {"HTTP_PROXY": "http://proxy"}, "http://proxy:80"),
    ("http://api.example:80", {"HTTP_PROXY": "http://proxy", "REQUEST_METHOD": "GET"}, None),
    ("http://api.example:80", {"http_proxy": "http://a:%40b@[::1]:8080"}, "http://[::1]:8080"),
    ("http://api.example:80", {"http_proxy": "http://proxy", "NO_PROXY": "b, .example"}, None),
    ("http://api.example:80", {"http_proxy": "http://proxy", "no_proxy": "*"}, None),
]


@pytest.mark.parametrize(("origin", "environ", "url"), PROXIES)
def test_proxies_are_found_by_the_usual_variables(origin: str, environ: dict[str, str], url: str | None) -> None:
    found = proxy_for(origin, environ)
    assert (found.url if found else None) == url


def test_a_proxys_credentials_stand_apart() -> None:
    found = proxy_for("http://api.example", {"http_proxy": "http://größe:%40b@proxy"})
    assert found is not None
    assert found.auth == ("größe".encode(), b"@b")


@pytest.mark.parametrize(
    ("host", "port", "value", "direct"),
    [
        ("api.example", 443, "example", True),
        ("api.example", 443, "pi.example", False),
        ("api.example", 443, "api.example:443", True),
        ("api.example", 443, "api.example:80", False),
        ("10.1.2.3", 443, "10.0.0.0/8", True),
        ("11.1.2.3", 443, "10.0.0.0/8", False),
        ("::1", 80, "::1", True),
        ("api.example", 443, "", False),
        ("api.example", 443, ",", False),
    ],
)
def test_hosts_that_need_no_proxy(host: str, port: int, value: str, direct: bool) -> None:
    assert is_direct(host, port, {"NO_PROXY": value}) is direct


def test_requests_go_through_the_proxy_that_is_named(hostile_provider: Provider, check: Check) -> None:
    # The hostile provider takes absolute targets, so it can stand in for a proxy before a host that nobody has.
    proxy = hostile_provider("declared")
    origin = proxy.base_url.removesuffix("/v1")
    got = check({"cafe": row("http://nirgends.invalid/v1")}, environ={"LOOPBACK_KEY": KEY, "http_proxy": origin})
    assert (got.violated, got.status) == (set(), 0), got.report.findings
    assert {value for a in proxy.requests for name, value in a.headers if name.lower() == "host"} == {
        "nirgends.invalid"
    }


def test_a_proxy_that_is_not_there_is_told_by_its_variable(closed_port: int, check: Check) -> None:
    environ = {"LOOPBACK_KEY": KEY, "ALL_PROXY": f"http://127.0.0.1:{closed_port}"}
    got = check({"cafe": row("https://api.example/v1")}, environ=environ)
    assert "the proxy of ALL_PROXY" in got.reason("http.status")


def test_a_proxy_that_refuses_is_told(strict: Callable[[str], Strict], check: Check) -> None:
    environ = {"LOOPBACK_KEY": KEY, "HTTPS_PROXY": strict("407 Proxy Authentication Required").base_url[:-3]}
    got = check({"cafe": row("https://api.example/v1")}, environ=environ)
    assert "the proxy of HTTPS_PROXY refused: 407" in got.reason("http.status")
