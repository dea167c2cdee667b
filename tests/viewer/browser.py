"""A real browser for the tests of the page: Debian's Chromium, driven by Playwright, drawing without a graphics card."""
import os
import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/apps"))

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

needs_browser = pytest.mark.skipif(
    CHROMIUM is None or sync_playwright is None,
    reason="no Chromium or no Playwright: tools/setup.sh browser installs both")
PICTURES = pathlib.Path(os.environ.get("SINEW_PICTURES", ROOT / "build/pictures"))
ARGUMENTS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


class Page:
    """A page of a report, with what its console said."""

    def __init__(self, browser, file, hash="", width=1280, height=800, dark=False, phone=False):
        self.said = []
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", offline=True,
            has_touch=phone, is_mobile=phone, device_scale_factor=2 if phone else 1)
        self.page = self.context.new_page()
        self.page.on("console", lambda m: self.said.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.said.append(f"exception: {e}"))
        self.page.set_default_timeout(60_000)
        self.page.goto(f"file://{file}#{hash}")
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def __call__(self, script, *more):
        return self.page.evaluate(script, *more)

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")

    def close(self):
        self.context.close()
