"""The rulesheets that authors edit: each editor page has its own child processes."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any

from ggp.server.manager.places import Places
from ggp.server.manager.processes.analyses import Analyses, Analysis
from ggp.server.manager.processes.guides import Guides
from ggp.server.manager.processes.questions import Check, Draft, Question, Subject
from ggp.workers.worker import Start, spawn

__all__ = ["MAX_DRAFT", "Drafts"]

#: Characters of a rulesheet in the editor.
MAX_DRAFT = 500_000
#: A page has one guide for what must be answered while the author types, and one for the board,
#: which may take long.
_KINDS = ("text", "board")
#: Guides of all pages together.
_ROOM = 8
#: Seconds for all questions about a game together.
_PROOF_TIME = 300.0
#: Pages whose last proof is remembered.
_MAX_PROOFS = 100


class Drafts:
    """Asks about rulesheets that are being edited. Any thread may call the methods.

    A page has an id of its own choice. Nothing that it sends is parsed in this process.
    """

    def __init__(self, analyses: Analyses, places: Places, *, start: Start = spawn) -> None:
        """Take the analyses, to which proofs belong, and the places for heavy work."""
        self._analyses = analyses
        self._guides = Guides(places=places, room=_ROOM, start=start)
        self._lock = Lock()
        self._proofs: OrderedDict[str, Analysis] = OrderedDict()

    def mistake(self, rules: str, drawing: str) -> str | None:
        """Return what is wrong with the drawing of a game that is to be saved; None for nothing.

        Nothing is found wrong with it while no reasoner can take the rules.

        Raises:
            GuideError: the guide cannot answer, takes too long, or ends.
        """
        page = secrets.token_hex(8)
        try:
            found: str | None = self.ask(page, "text", Draft(rules, drawing), Check())["drawing"]
            return found
        finally:
            self.leave(page)

    def ask(self, page: str, kind: str, draft: Draft, question: Question) -> dict[str, Any]:
        """Return the answer of one of a page's guides to a question about the rules.

        Args:
            page: the id of the page.
            kind: ``text`` or ``board``: the guide.
            draft: the rulesheet as it is now.
            question: the question.

        Raises:
            GuideError: the guide cannot answer, takes too long, or ends.
        """
        return self._guides.ask(f"{kind} {page}", lambda: Subject(""), question, draft=draft)

    def prove(self, page: str, rules: str, *, seconds: float, never: Sequence[str]) -> Analysis:
        """Begin to prove what can be asked about the rules; this ends the page's last proof.

        Args:
            page: the id of the page.
            rules: the rulesheet.
            seconds: the time for each question.
            never: conditions that are claimed to hold in no state.

        Raises:
            Full: too many analyses are running.
            OSError: no process can be started.
        """
        self._stop_proof(page)
        task = {"kind": "prove", "rules": rules, "each": seconds, "never": list(never)}
        proof = self._analyses.begin({**task, "seconds": _PROOF_TIME})
        with self._lock:
            self._proofs[page] = proof
            while len(self._proofs) > _MAX_PROOFS:
                self._proofs.popitem(last=False)
        return proof

    def stop_board(self, page: str) -> None:
        """End the guide for a page's board, which may be busy with outdated rules."""
        self._guides.drop(f"board {page}")

    def leave(self, page: str) -> None:
        """End all processes of a page."""
        self._stop_proof(page)
        for kind in _KINDS:
            self._guides.drop(f"{kind} {page}")

    def close(self) -> None:
        """End all guides; the proofs end with the analyses."""
        self._guides.close()

    def _stop_proof(self, page: str) -> None:
        """End the proof of a page, if it has one."""
        with self._lock:
            proof = self._proofs.pop(page, None)
        if proof is not None:
            proof.close()
