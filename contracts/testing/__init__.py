"""A provider that misbehaves on purpose, for tests of routers and of this project.

It listens on loopback, speaks any dialect that there is a writer for (`openai-chat` unless told otherwise), and is
hostile from the start: streams declare no charset, are raw UTF-8 and arrive cut inside characters. A router that
decodes by what `requests` falls back to for `text/*`, ISO-8859-1, and encodes as UTF-8 passes every ASCII test, and
not this one:

    import httpx
    from contracts.testing import text_of

    def test_what_the_router_passes_on_is_what_the_provider_sent(hostile_provider, router):
        provider = hostile_provider("honest")
        answer = httpx.post(
            f"{router(provider.base_url)}/chat/completions",
            headers={"Authorization": "Bearer test"},
            json={"model": "loopback/libre", "stream": True, "messages": [{"role": "user", "content": "Bonjour"}]},
        )
        assert text_of(answer.content) == provider.text

The fixture `hostile_provider` comes with the pytest plugin of this package; `contracts fake --list` shows the
scenarios.
"""

from __future__ import annotations

from contracts.testing.ask import Asked
from contracts.testing.provider import HostileProvider
from contracts.testing.reply import TEXT
from contracts.testing.scenario import Scenario, known_scenarios
from contracts.testing.stream import text_of

__all__ = ["TEXT", "Asked", "HostileProvider", "Scenario", "known_scenarios", "text_of"]
