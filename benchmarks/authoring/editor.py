"""How long an editor waits for `ggp lsp` after a keystroke in a long rulesheet.

    python -m benchmarks.authoring.editor [--lines N] [--keystrokes N] [--json]

The server runs as an editor runs it: in a process, over standard input and output. After each
keystroke the editor asks what editors ask; the time is that from sending a request to the last
byte of its answer, and of the keystroke itself, that to the answer of the first request.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from ggp.gdl.bundled import find_game
from ggp.kif import Compound, Source, Symbol, Term, parse, pretty

__all__ = ["REQUESTS", "long_rulesheet", "main", "measure"]

#: What is asked after each keystroke.
REQUESTS = (
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/semanticTokens/full/delta",
    "textDocument/documentHighlight",
    "textDocument/codeAction",
    "textDocument/foldingRange",
    "textDocument/documentSymbol",
)

_URI = "file:///benchmark.kif"
_TYPED = "(true (cell ?x ?y b)) "


def long_rulesheet(lines: int) -> str:
    """Return connect four as often as needed, each time with relations of other names."""
    terms = parse(Source.read(find_game("connectfour")))
    text = ""
    for number in itertools.count():
        if text.count("\n") >= lines:
            return text
        text += pretty([_renamed(term, number) for term in terms], width=60) + "\n"
    raise AssertionError


def _renamed(term: Term, number: int) -> Term:
    """Return a term in which relations and functions that are no keywords have other names."""
    if isinstance(term, Symbol):
        return term
    name, *rest = (_renamed(item, number) for item in term.items)
    keywords = ("<=", "role", "init", "true", "next", "legal", "does", "goal", "not", "or")
    if isinstance(name, Symbol) and name.text not in (*keywords, "distinct", "base", "input"):
        name = Symbol(f"{name.text}{number}")
    return Compound((name, *rest))


class _Editor:
    """The editor's end of the pipes; it looks into answers only after it has taken the time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._numbers = itertools.count(1)

    def notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, **params: Any) -> tuple[Any, float]:
        """Return the result, and the seconds that it took. Raises `RuntimeError` for an error."""
        number = next(self._numbers)
        began = time.perf_counter()
        self._send({"id": number, "method": method, "params": params})
        while True:
            body = self._receive()
            seconds = time.perf_counter() - began
            message = json.loads(body)
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"], seconds

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> bytes:
        assert self._process.stdout is not None
        length = 0
        while (header := self._process.stdout.readline().strip()) or not length:
            if not header:
                raise RuntimeError("the server has ended")
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return self._process.stdout.read(length)


@contextmanager
def _editor() -> Iterator[_Editor]:
    command = [sys.executable, "-m", "ggp", "lsp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            editor = _Editor(process)
            editor.request("initialize", capabilities={}, processId=None, rootUri=None)
            editor.notify("initialized")
            yield editor
            editor.request("shutdown")
            editor.notify("exit")
        finally:
            process.kill()


def measure(*, lines: int, keystrokes: int, pause: float = 0.0) -> dict[str, list[float]]:
    """Type into the middle of a rulesheet.

    Args:
        lines: how long it is.
        keystrokes: how many letters to type.
        pause: seconds between keystrokes; a longer one than the server's lets it check meanwhile.

    Returns:
        The seconds of each request, by its method; those of `open` and `keystroke` last to the
        answer of the request behind them.
    """
    text = long_rulesheet(lines)
    where = text.index("\n    ", len(text) // 2) + len("\n    ")
    line, column = text.count("\n", 0, where), len("    ")
    document = {"uri": _URI}
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    with _editor() as editor:
        editor.notify(
            "textDocument/didOpen",
            textDocument={**document, "languageId": "gdl", "version": 1, "text": text},
        )
        method = "textDocument/semanticTokens/full"
        tokens, taken = editor.request(method, textDocument=document)
        seconds["open"].append(taken)
        for number, letter in zip(range(keystrokes), itertools.cycle(_TYPED), strict=False):
            time.sleep(pause)
            here = {"line": line, "character": column + number}
            after = {"line": line, "character": column + number + 1}
            editor.notify(
                "textDocument/didChange",
                textDocument={**document, "version": number + 2},
                contentChanges=[{"range": {"start": here, "end": here}, "text": letter}],
            )
            params: dict[str, Any] = {
                "textDocument": document,
                "position": after,
                "range": {"start": here, "end": after},
                "context": {"diagnostics": [], "triggerKind": 1},
            }
            _, taken = editor.request("textDocument/hover", **params)
            seconds["keystroke"].append(taken)
            for method in REQUESTS:
                more = {"previousResultId": tokens["resultId"]} if "Tokens" in method else {}
                found, taken = editor.request(method, **params, **more)
                seconds[method].append(taken)
                tokens = found if "Tokens" in method else tokens
    return dict(seconds)


@click.command()
@click.option("--lines", default=5000, show_default=True, help="Lines of the rulesheet.")
@click.option("--keystrokes", default=100, show_default=True, help="Letters to type.")
@click.option("--pause", default=0.3, show_default=True, help="Seconds between keystrokes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(lines: int, keystrokes: int, pause: float, as_json: bool) -> None:
    """Measure how long an editor waits after a keystroke."""
    found = measure(lines=lines, keystrokes=keystrokes, pause=pause)
    if as_json:
        click.echo(json.dumps(found))
        return
    table = Table("request", "median ms", "90 % below", "worst", box=None)
    for method, seconds in found.items():
        table.add_row(method, *(f"{1000 * each:.1f}" for each in _summary(seconds)))
    Console().print(table)


def _summary(seconds: Sequence[float]) -> tuple[float, float, float]:
    ordered = sorted(seconds)
    return median(ordered), ordered[int(0.9 * (len(ordered) - 1))], ordered[-1]


if __name__ == "__main__":
    main()
