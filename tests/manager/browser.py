"""A browser's window, and what a person does with it. It needs selenium and Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import element_to_be_clickable
from selenium.webdriver.support.ui import Select, WebDriverWait

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver
    from selenium.webdriver.remote.webelement import WebElement

#: Seconds; the machine may be busy.
PATIENCE = 60

#: Errors after which a wait goes on: the page has just replaced the element, or it is covered.
TRANSIENT = (StaleElementReferenceException, ElementClickInterceptedException)

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

needs_browser = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="no Chromium with its driver; `make browser-test`"
)


class Page:
    """A browser's window, and what a person does with it."""

    #: Seconds until something is missed.
    patience: float = PATIENCE

    def __init__(self, driver: WebDriver, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, path: str) -> None:
        self.driver.get(self.url + path)

    def find(self, selector: str) -> WebElement:
        return self.wait(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector))[0]

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, happens: Callable[[], object]) -> list[WebElement]:
        wait = WebDriverWait(self.driver, self.patience, ignored_exceptions=TRANSIENT)
        return wait.until(lambda _: happens())  # type: ignore[arg-type, return-value]

    def wait_for(self, selector: str) -> None:
        self.wait(lambda: self.all(selector))

    def click(self, selector: str) -> None:
        """Click on an element once it takes clicks: a page may disable or replace it before."""
        takes_clicks = element_to_be_clickable((By.CSS_SELECTOR, selector))

        def clicked() -> bool:
            element = takes_clicks(self.driver)
            if element:
                element.click()
            return bool(element)

        self.wait(clicked)

    def spot(self, name: str) -> str:
        return f'.spot[data-name="{name}"]'

    def status(self) -> str:
        return self.find("#status").text

    def texts(self, selector: str) -> list[str]:
        """The texts of elements, read at once: the page may replace them at any time."""
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)"
        return self.driver.execute_script(script, selector)  # type: ignore[no-any-return]

    def problems(self) -> list[str]:
        """The errors that the browser reports, except for failed requests."""
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        severe = [entry for entry in entries if entry["level"] == "SEVERE"]
        return [entry["message"] for entry in severe if entry["source"] != "network"]

    def hosts(self) -> set[str]:
        """The hosts from which the page has loaded anything."""
        script = "return performance.getEntriesByType('resource').map(entry => entry.name)"
        return {urlsplit(name).netloc for name in self.driver.execute_script(script)}

    def choose(self, selector: str, value: str) -> None:
        Select(self.find(selector)).select_by_value(value)

    def begin_match(self, game: str, *players: str, **clocks: float) -> None:
        """Begin a match on the page of a game, which may be its whole address.

        A player may have options, as in ``random:seed=1``.
        """
        self.open(game if game.startswith("/") else f"/games/{game}")
        self.find("#kind-0")
        for number, player in enumerate(players):
            kind, _, options = player.partition(":")
            self.choose(f"#kind-{number}", kind)
            if options:
                self.find(f"[name=spec-{number}]").send_keys(options)
        for name, seconds in clocks.items():
            field = self.find(f"[name={name}]")
            field.clear()
            field.send_keys(str(seconds))
        self.click("#setup .primary")
        self.wait_for("#told")  # the page of the match
        self.find(".spot, .card, .facts")


@contextmanager
def browsing(*, width: int = 1280, height: int = 1400) -> Iterator[WebDriver]:
    """Run Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()
