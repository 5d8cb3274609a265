"""The fixture for router developers, and the example that shows what it is for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from textwrap import dedent
from typing import Any

import pytest

import contracts.testing
from contracts.testing import HostileProvider, text_of
from contracts.testing.writers import names

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
Router = Callable[[str], str]


def passed_on(body: bytes, charset: str | None) -> bytes:
    """Pass a body on as a proxy does that works on text: `requests` reads text/* without a charset as ISO-8859-1."""
    return body.decode(charset or "ISO-8859-1").encode("utf-8")


@contextmanager
def proxy(upstream: str, pass_on: Callable[[bytes, str | None], bytes]) -> Iterator[str]:
    """Run a small proxy in front of a provider."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {"Authorization": self.headers["Authorization"], "Content-Type": "application/json"}
            request = urllib.request.Request(upstream + self.path, body, headers)  # noqa: S310 - http on loopback
            with urllib.request.urlopen(request) as answer:  # noqa: S310 - http on loopback
                given = pass_on(answer.read(), answer.headers.get_content_charset())
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Content-Length", str(len(given)))
            self.end_headers()
            self.wfile.write(given)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def example() -> Callable[..., None]:
    """Give the test function that the package's docstring shows."""
    doc = contracts.testing.__doc__ or ""
    code = dedent(doc[doc.index("    import httpx") : doc.index("The fixture")])
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own docstring
    function: Callable[..., None] = names["test_what_the_router_passes_on_is_what_the_provider_sent"]
    return function


@pytest.fixture
def router() -> Iterator[Callable[..., Router]]:
    with ExitStack() as proxies:
        yield lambda pass_on: lambda upstream: proxies.enter_context(proxy(upstream, pass_on))


def test_the_example_catches_a_proxy_that_falls_back_to_latin_1(hostile_provider: Any, router: Any) -> None:
    with pytest.raises(AssertionError):
        example()(hostile_provider, router(passed_on))


def test_the_example_lets_a_proxy_pass_that_forwards_bytes(hostile_provider: Any, router: Any) -> None:
    example()(hostile_provider, router(lambda body, _: body))


def test_what_the_latin_1_proxy_sends_is_well_formed_and_wrong(router: Any, client: Any) -> None:
    with HostileProvider("declared") as declared, HostileProvider() as honest:
        bodies = []
        for provider in (declared, honest):
            url = router(passed_on)(provider.base_url)
            sent = urllib.request.Request(  # noqa: S310 - http on loopback
                f"{url}/chat/completions", client.request_for("stream").body, {"Authorization": "Bearer k"}
            )
            with urllib.request.urlopen(sent) as answer:  # noqa: S310 - http on loopback
                bodies.append(answer.read())
    assert text_of(bodies[0]) == declared.text
    assert text_of(bodies[1]) == honest.text.encode().decode("latin-1")


def test_the_example_is_ten_lines_of_a_test() -> None:
    doc = contracts.testing.__doc__ or ""
    body = doc[doc.index("    def test_") : doc.index("The fixture")].strip().splitlines()
    assert len(body) <= 10


def test_the_plugin_gives_the_fixture_to_any_project(tmp_path: Any) -> None:
    (tmp_path / "test_router.py").write_text(
        dedent(
            """
            import socket, threading

            def test_it(hostile_provider):
                one = hostile_provider("honest")
                two = hostile_provider("slow-loris", interval_s=0.5, models={"à/é": "0"})
                assert one.base_url != two.base_url
                assert one.requests == ()

            def test_it_ends_with_the_test():
                assert not [t for t in threading.enumerate() if t.name == "hostile-provider"]
            """
        ),
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "contracts.testing.plugin"]
    environ = {**os.environ, "PYTHONPATH": ROOT, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environ, check=False, capture_output=True, text=True, timeout=60)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("dialect", names())
def test_the_fixture_speaks_every_dialect(dialect: str, hostile_provider: Any, client: Any) -> None:
    provider = hostile_provider("reasoning" if dialect != "openai-completions" else "lf", dialect=dialect)
    got = client.ask(provider, client.request_for("stream", dialect))
    assert text_of(got.body, dialect) == provider.text
    assert (provider.dialect, provider.requests[0].kind) == (dialect, "chat")
    assert provider.requests[0].model == provider.models[0]
    assert provider.paid_chats == ()


def test_text_of_reads_utf_8_and_nothing_else() -> None:
    event = '{"choices":[{"delta":{"content":"é"}}]}'
    assert text_of(f"data: {event}\r\n\r\ndata:{event}\n\ndata: [DONE]\r\r".encode()) == "éé"
    with pytest.raises(UnicodeDecodeError):
        text_of(f"data: {event}\n\n".encode("latin-1"))
    with pytest.raises(ValueError, match="JSON is malformed"):
        text_of(b"data: {]\n\n")
