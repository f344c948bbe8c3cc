"""No page breaks a rule of axe-core, in light or dark, on a screen or a phone; none is too wide.

`make browser-test` installs what is needed. Without it these tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.manager.accessibility.site import PAGES, furnished
from tests.manager.browser import Page, needs_browser
from tests.manager.conftest import serving

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"

#: Width and height in pixels.
SCREEN, PHONE = (1400, 900), (360, 740)

pytestmark = [pytest.mark.long, needs_browser]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with furnished(tmp_path_factory.mktemp("site")) as manager, serving(manager) as url:
        yield url


@pytest.fixture(params=[SCREEN, PHONE], ids=["screen", "phone"])
def shown(request: pytest.FixtureRequest, driver: WebDriver, address: str) -> Iterator[Page]:
    """A page on a screen and on a phone."""
    width, height = request.param
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield Page(driver, address)
    driver.get("about:blank")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_too_wide_or_breaks_a_rule_of_axe(shown: Page, name: str) -> None:
    PAGES[name](shown)
    script = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    needed, given = shown.driver.execute_script(script)
    assert needed <= given
    add_axe(shown)
    broken = []
    for scheme in ("light", "dark"):
        features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        shown.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        broken += [f"{scheme}: {each}" for each in violations(shown)]
    assert broken == []


def add_axe(page: Page) -> None:
    if not AXE.is_file():
        pytest.skip("it is not too wide, but there is no axe-core; `make axe` installs it")
    page.driver.execute_script(AXE.read_text(encoding="utf-8"))


def violations(page: Page) -> Iterator[str]:
    """Yield what axe-core finds: the rule, and each element that breaks it, with the reason."""
    found: dict[str, Any] = page.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then(done, (error) => done({error: String(error)}));"
    )
    assert "error" not in found, found
    assert found["passes"]
    for rule in found["violations"]:
        for node in rule["nodes"]:
            yield f"{rule['id']}: {node['html']:.200}: {node['failureSummary']:.400}"


def test_axe_finds_what_is_wrong(shown: Page) -> None:
    """The test above can fail."""
    PAGES["error"](shown)
    add_axe(shown)
    shown.driver.execute_script("document.querySelector('h1').style.color = 'rgb(250, 250, 250)'")
    assert [each for each in violations(shown) if each.startswith("color-contrast: <h1")]
