"""`ggp check --sarif`: the structure that SARIF 2.1.0 requires, and places that are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ggp.cli.rules.check import command
from ggp.cli.rules.sarif import to_sarif
from ggp.gdl.check import CODES, check
from ggp.kif import Source
from tests.gdl.sheets import LINES, with_line


def log_of(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(command, ["--sarif", *arguments])
    assert result.exit_code == 1
    log = json.loads(result.stdout)
    assert isinstance(log, dict)
    return log


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    (tmp_path / "rules of mine").mkdir()
    line = "(<= (less ?m ?q) (true (stap ?m)) (succ 1 ?M))"
    path = tmp_path / "rules of mine" / "a&b.kif"
    path.write_text(with_line(line), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return log_of(str(path))


def test_the_log_has_what_the_standard_requires(log: dict[str, Any]) -> None:
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert [rule["id"] for rule in driver["rules"]] == list(CODES)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning")
    assert run["columnKind"] == "unicodeCodePoints"
    for base in run["originalUriBaseIds"].values():
        assert base["uri"].startswith("file:///")
        assert base["uri"].endswith("/")


def test_each_result_names_its_rule_and_its_region(log: dict[str, Any]) -> None:
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {result["ruleId"] for result in run["results"]} == {
        "unsafe-variable",
        "undefined-fact",
        "two-capitalisations",
    }
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == CODES[result["ruleId"]].severity
        assert result["message"]["text"]
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert artifact["uri"] == "rules%20of%20mine/a%26b.kif"
        assert artifact["uriBaseId"] in run["originalUriBaseIds"]
    regions = {
        result["ruleId"]: result["locations"][0]["physicalLocation"]["region"]
        for result in run["results"]
    }
    assert regions["undefined-fact"] == {
        "startLine": LINES + 1,
        "startColumn": 24,
        "endLine": LINES + 1,
        "endColumn": 33,
    }


def test_a_fix_replaces_a_region(log: dict[str, Any]) -> None:
    (fault,) = (r for r in log["runs"][0]["results"] if r["ruleId"] == "undefined-fact")
    (fix,) = fault["fixes"]
    (change,) = fix["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    assert (
        change["artifactLocation"] == fault["locations"][0]["physicalLocation"]["artifactLocation"]
    )
    assert (region["startColumn"], region["endColumn"]) == (25, 29)
    assert replacement["insertedContent"] == {"text": "step"}


def test_a_file_elsewhere_has_an_absolute_uri(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    findings = check(Source("(role", str(tmp_path / "other.kif")))
    log = to_sarif(findings, root=inner)
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": (tmp_path / "other.kif").as_uri()}


def test_json_and_sarif_exclude_each_other() -> None:
    result = CliRunner().invoke(command, ["--sarif", "--json", "tictactoe"])
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr
