from __future__ import annotations

from pathlib import Path

import pytest

from ggp.doctor import Finding, _swi_prolog, examine
from ggp.errors import ReasonerDied
from ggp.requirements import requirements
from tests.cli.command import ggp
from tests.cli.conftest import Here


def found() -> dict[str, Finding]:
    return {finding.name: finding for finding in examine()}


def fake_swipl(folder: Path, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "swipl"
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")


def test_a_prolog_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_swipl(tmp_path, "'; exec sleep 600; echo '", monkeypatch)
    monkeypatch.setattr("ggp.doctor._PATIENCE", 0.1)
    assert "does not tell its version" in _swi_prolog().detail


def test_all_is_well_here(here: Here) -> None:
    finished = here("doctor", "--json")
    assert (finished.code, finished.err) == (0, "")
    names = {finding["name"] for finding in finished.json}
    assert {"python", "lark", "pyswip", "click", "swi-prolog", "reasoner prolog"} <= names
    assert all(finding.keys() == {"name", "ok", "detail", "fix"} for finding in finished.json)
    plain = here("doctor")
    assert plain.code == 0
    assert len(plain.out.splitlines()) == len(names)


def test_every_requirement_is_looked_at() -> None:
    needed = [each for each in requirements() if each.extra is None]
    assert {each.name for each in needed} <= set(found())


def test_an_upper_bound_is_part_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ggp.requirements.requires",
        lambda _name: [
            "numba<0.69,>=0.60",
            "missing-one<2,>=1",
            'missing-two>=3; extra == "server"',
        ],
    )
    now = found()
    assert now["numba"].ok
    assert (now["missing-one"].ok, now["missing-one"].fix) == (
        False,
        "pip install 'missing-one<2,>=1'",
    )
    assert now["server"].ok
    assert now["server"].detail == "optional, not installed: pip install 'ggp[server]'"


def test_without_prolog_it_says_how_to_get_it() -> None:
    finished = ggp("doctor", env={"PATH": ""})
    assert finished.code == 1
    (missing,) = [line for line in finished.out.splitlines() if line.startswith("MISSING")]
    assert missing == "MISSING swi-prolog: not installed"
    assert "to fix it: " in finished.out
    assert "apt-get install swi-prolog-nox" in finished.out
    assert "brew install swi-prolog" in finished.out


@pytest.mark.parametrize(
    ("says", "ok", "detail"),
    [
        ("SWI-Prolog version 8.4.3 for x86_64-linux", False, "8.4.3 at "),
        ("SWI-Prolog version 9.0.4 for x86_64-linux", True, "9.0.4 at "),
        ("SWI-Prolog version 10.1.0 for arm64", True, "10.1.0 at "),
        ("hello", False, "does not tell its version"),
        ("", False, "does not tell its version"),
    ],
)
def test_the_version_of_prolog(
    says: str, ok: bool, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_swipl(tmp_path, says, monkeypatch)
    finding = found()["swi-prolog"]
    assert finding.ok is ok
    assert detail in finding.detail
    assert "swi-prolog" in finding.fix


@pytest.mark.parametrize(("kind", "fix"), [("prolog", "pyswip"), ("compiled", "llvmlite")])
def test_a_reasoner_that_does_not_reason_is_found_out(
    kind: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ReasonerDied("ended unexpectedly: no library")

    monkeypatch.setattr("ggp.reasoner.open_reasoner", fail)
    finding = found()[f"reasoner {kind}"]
    assert (finding.ok, finding.detail) == (False, "ended unexpectedly: no library")
    assert fix in finding.fix
