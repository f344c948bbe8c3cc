from __future__ import annotations

import pytest

from ggp.cli import main
from ggp.requirements import Requirement, advice, requirements


def missing(module: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"No module named {module!r}", name=module)


def test_requirements_are_read_with_their_versions_and_extras() -> None:
    found = requirements()
    assert {each.name for each in found if each.extra is None} >= {"lark", "numba", "rich"}
    (numba,) = [each for each in found if each.name == "numba"]
    assert "<" in numba.versions
    assert {each.name for each in found if each.extra == "server"} >= {"flask", "waitress"}


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("openskill.models", "pip install 'ggp[tournament]'"),
        ("prometheus_client", "pip install 'ggp[server]'"),
        ("flask", "pip install 'ggp[all]'"),
        ("lark", None),
        ("unheard_of", None),
    ],
)
def test_a_missing_module_of_an_extra_is_explained(
    module: str, command: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = [
        Requirement("lark", ">=1.2", None),
        *(Requirement("flask", ">=3.0", extra) for extra in ("manager", "server", "all")),
        Requirement("tinycss2", "", "manager"),
        Requirement("ray", "", "cluster"),
        *(Requirement("prometheus-client", "", extra) for extra in ("server", "all")),
        *(Requirement("openskill", "", extra) for extra in ("cluster", "tournament", "all")),
    ]
    monkeypatch.setattr("ggp.requirements.requirements", lambda: listed)
    said = advice(missing(module))
    assert said is None if command is None else (said or "").endswith(command)


def test_a_command_without_its_extra_is_listed_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from importlib import import_module as load

    def import_module(name: str) -> object:
        if name == "ggp.cli.tournament":
            raise missing("openskill")
        return load(name)

    monkeypatch.setattr("ggp.cli.import_module", import_module)
    monkeypatch.setattr("sys.argv", ["ggp", "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "Not available: openskill is not installed" in capsys.readouterr().out

    monkeypatch.setattr("sys.argv", ["ggp", "tournament", "cup", "--rounds", "3"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "ggp: openskill is not installed: pip install 'ggp[tournament]'\n"
    )
