"""What `--help` shows of each command at work: lines to copy. A test runs them."""

from __future__ import annotations

Example = tuple[str, str]
"""What it is for, in a sentence, and the line."""

EXAMPLES: dict[str, tuple[Example, ...]] = {
    "check": (
        ("Ask every provider of the file what it shows for nothing.", "contracts check"),
        ("One provider, for a program.", "contracts check openrouter -f json"),
        ("Judge the cassettes beside the providers file; nobody is asked.", "contracts check --replay"),
        ("A page for CI, and a note for each row.", "contracts check -o junit=contracts.xml --note notes.jsonl"),
    ),
    "gate": (
        ("What a pull request adds or alters, against main.", "contracts gate"),
        ("In a GitHub workflow.", "contracts gate --base origin/main -f github"),
    ),
    "inspect": (
        ("What `curl -i` wrote, and what was asked for it.", "contracts inspect answer.http --request request.json"),
        ("By the rules of a row.", "contracts inspect answer.http --provider openrouter"),
        ("One promise only.", "contracts inspect answer.http --contract sse.charset -f json"),
    ),
    "list": (
        ("Rows and contracts.", "contracts list"),
        ("For a program.", "contracts list -f json"),
    ),
    "explain": (
        ("A contract.", "contracts explain sse.charset"),
        ("A check kind and its parameters.", "contracts explain strict_json"),
    ),
    "history": (
        ("The last polls of every provider.", "contracts history"),
        ("Of one, only what was not in order.", "contracts history openrouter --polls 48 --changed"),
        ("Forget what is older than that.", "contracts history --prune 90d"),
    ),
    "degraded": (
        ("What the router wrote down of its answers.", "contracts degraded --verifications sqlite:///router.db"),
        ("What taps saw; a warning fails.", "contracts degraded --observed observations.jsonl --fail-on warning"),
    ),
    "canary": (
        ("What would be asked of which model, and for how much at most.", "contracts canary openrouter --dry-run"),
        (
            "Those whose turn it is.",
            "contracts canary openrouter --budget-per-day 0.05 --fail-on violation",
        ),
    ),
    "relay-check": (
        ("A gateway whose upstream is http://127.0.0.1:8977/v1.", "contracts relay-check http://127.0.0.1:4000/v1"),
        ("Only this, with a key.", "contracts relay-check http://127.0.0.1:4000/v1 --scenario honest --key KEY"),
    ),
    "report": (("One page that needs nothing else.", "contracts report --html contracts.html"),),
    "lint": (
        ("The providers file and all that it reaches.", "contracts lint"),
        ("Some files, for a program.", "contracts lint providers.yaml -f json"),
    ),
    "schema": (
        ("For an editor that completes YAML.", "contracts schema providers > providers.schema.json"),
        ("Of what `check -f json` prints.", "contracts schema report"),
    ),
    "fake": (
        ("What it can do.", "contracts fake --list"),
        ("A stream that ends without its close, on a port of your choice.", "contracts fake done-missing --port 8000"),
        ("Only chats are answered slowly, byte by byte.", "contracts fake chat:slow-loris --interval 10ms"),
    ),
    "record": (
        ("What the provider shows for nothing.", "contracts record openrouter"),
        ("Also a chat with each allowed model.", "contracts record openrouter --max-spend 0.05 --force"),
    ),
    "init": (
        ("A provider of the library.", "contracts init openrouter --key OPENROUTER_API_KEY"),
        ("A host that nobody knows yet.", "contracts init https://api.acme.example/v1 --as acme --key ACME_API_KEY"),
    ),
}


def shown(command: str) -> str:
    r"""Give a command's examples as click takes them: a `\b` keeps the lines of a paragraph as they are."""
    examples = EXAMPLES.get(command, ())
    if not examples:
        return ""
    return "\n\n".join(["Examples:", *(f"\b\n  # {what}\n  {line}" for what, line in examples)])
