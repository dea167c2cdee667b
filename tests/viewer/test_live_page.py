"""The live view in a real browser: it moves, pauses, steps, is pulled at; two pages; a server that is gone."""
import json
import re
import signal
import time

import pytest

from browser import ARGUMENTS, CHROMIUM, PICTURES, ROOT, needs_browser, sync_playwright
from command import needs_command

pytest.importorskip("websockets")
from view_support import View  # noqa: E402

pytestmark = [needs_browser, needs_command]
QUADRUPED = ROOT / "models/scenes/quadruped.xml"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class LivePage:
    """A page of sinew view, with what its console said."""

    def __init__(self, browser, address, hash="", **more):
        self.said = []
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light", **more)
        self.page = self.context.new_page()
        self.page.on("console", lambda m: self.said.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.said.append(f"exception: {e}"))
        self.page.set_default_timeout(60_000)
        self.page.goto(f"{address}#{hash}")
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def __call__(self, script, *more):
        return self.page.evaluate(script, *more)

    def wait(self, script):
        """Until it holds. Playwright's own way would evaluate text within the page, which its security policy forbids."""
        end = time.monotonic() + 60
        while not self.page.evaluate(script):
            assert time.monotonic() < end, script
            self.page.wait_for_timeout(20)

    def click(self, name):
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")

    def find(self, body):
        """Where the middle of a body is in the window."""
        return self("""name => { const p = sinew.project(name), r = sinew.app.stage.canvas.getBoundingClientRect();
                       return [p.x + r.left, p.y + r.top] }""", body)


@pytest.fixture
def view(request, tmp_path):
    args = getattr(request, "param", [QUADRUPED])
    with View(*args, cwd=tmp_path) as running:
        running.folder = tmp_path
        yield running


@pytest.fixture
def open_page(browser, view):
    pages = []

    def to(*more, **named):
        pages.append(LivePage(browser, view.address, *more, **named))
        return pages[-1]

    yield to
    for p in pages:
        p.context.close()
        assert p.said == []  # nothing on the console, in any test


FRAME = "sinew.live.frame"


def test_runs_pauses_and_steps(open_page):
    page = open_page()
    assert page("document.title") == "quadruped.xml · Sinew"
    begun = page(f"{FRAME}.time")
    page.wait(f"{FRAME}.time > {begun} + 0.5")
    page.click("Pause")
    page.wait(f"sinew.live.settings.paused && {FRAME}.paused")
    step = page(f"{FRAME}.step")
    page.click("Step")
    page.wait(f"{FRAME}.step === {step + 1}")
    page.page.keyboard.press("ArrowRight")
    page.wait(f"{FRAME}.step === {step + 2}")
    page.click("10 steps")
    page.wait(f"{FRAME}.step === {step + 12}")
    assert "paused" in page.page.locator(".live .facts").inner_text()
    page.page.locator("canvas").first.focus()
    page.page.keyboard.press(" ")
    page.wait(f"!{FRAME}.paused && {FRAME}.step > {step + 20}")
    page.page.get_by_label("Speed").select_option("0.1")
    page.wait("sinew.live.settings.speed === 0.1")
    run = page(f"{FRAME}.run")
    page.click("Reset")
    page.wait(f"{FRAME}.run > {run} && sinew.app.track.time(0) < 0.1")


def test_body_is_pulled_at_with_the_mouse(open_page):
    page = open_page()
    page.wait(f"{FRAME}.time > 0.3")
    camera = page("sinew.app.stage.camera.position.toArray()")
    x, y = page.find("trunk")
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 70, y - 60, steps=6)
    page.wait(f"{FRAME}.drags.length === 6 && {FRAME}.dragged > 0.1")
    page.page.wait_for_timeout(800)
    page.picture("view")
    drags = page(f"Array.from({FRAME}.drags)")
    assert drags[5] > drags[2]  # upwards
    page.page.mouse.up()
    page.wait(f"{FRAME}.drags.length === 0")
    assert page("sinew.app.stage.camera.position.toArray()") == pytest.approx(camera, abs=1e-9)  # it did not turn
    # Beside the body it does, and nothing is pulled at.
    box = page.page.locator("canvas").first.bounding_box()
    page.page.mouse.move(box["x"] + 30, box["y"] + box["height"] - 30)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 130, box["y"] + box["height"] - 60, steps=4)
    page.page.mouse.up()
    page.wait(f"Math.abs(sinew.app.stage.camera.position.x - {camera[0]}) > 0.01")
    assert page(f"{FRAME}.drags.length") == 0


def test_gravity_formulation_and_controls(open_page):
    page = open_page()
    page.click("Moon")
    page.wait("sinew.live.settings.gravity[2] === -1.62")
    assert "−1.62" in page.page.get_by_label("Gravity", exact=True).inner_text()
    page.page.get_by_label("Formulation", exact=True).last.select_option("nmc_os")
    page.wait("sinew.live.settings.formulation === 'nmc_os'")
    time = page(f"{FRAME}.time")
    page.wait(f"{FRAME}.time > {time} + 0.2")
    slider = page.page.get_by_label("front_left_knee", exact=True).first
    slider.fill("-1.5")
    page.wait(f"Math.abs(Math.min(...{FRAME}.controls) + 1.5) < 1e-6")


def test_joints_are_set_while_paused(open_page):
    page = open_page()
    joint = page.page.locator(".live fieldset input").first
    assert joint.is_disabled()
    page.click("Pause")
    page.wait("sinew.live.settings.paused")
    assert joint.is_enabled()
    index = page("sinew.app.track.scene.joints.findIndex(j => j.nq === 1)")
    q = page(f"sinew.app.track.scene.joints[{index}].q")
    joint.fill("0.123")
    page.wait(f"Math.abs({FRAME}.positions[{q}] - 0.123) < 1e-6 && Math.abs({FRAME}.edits) > 0")


@pytest.mark.parametrize("view", [["pendulum:3", "--record", "mine.h5"]], indirect=True)
def test_record_button(open_page, view):
    page = open_page()
    page.click("Record")
    page.wait("sinew.live.settings.recording")
    page.click("Reset")
    page.page.get_by_text("stop recording first").wait_for()
    page.click("Stop recording")
    page.page.get_by_text(re.compile("wrote mine.h5")).wait_for()
    assert (view.folder / "mine.h5").stat().st_size > 1000


def test_camera_path_is_exported(open_page):
    page = open_page()
    page.click("Add key frame")
    page("sinew.app.stage.look3(1, 0.5)")
    page.click("Add key frame")
    with page.page.expect_download() as download:
        page.click("Export")
    path = json.loads(download.value.path().read_text())
    assert path["format"] == "sinew camera path" and [k["time"] for k in path["keys"]] == [0, 2]
    assert path["keys"][0]["position"] != path["keys"][1]["position"]


def test_looking_back_does_not_stop_the_run(open_page):
    page = open_page()
    page.wait("sinew.app.track.rows > 20")
    page("sinew.app.seekRow(3)")
    assert page("sinew.app.following") is False
    rows = page("sinew.app.track.rows")
    page.wait(f"sinew.app.track.rows > {rows} + 5")
    assert page("sinew.app.row") == 3
    page.click("Live")
    page.wait("sinew.app.following && sinew.app.row === sinew.app.track.rows - 1")
    page("sinew.app.openTab('Plots')")
    page.wait("document.querySelector('.plots .u-over') !== null")
    page.page.wait_for_timeout(1200)
    assert "∞" not in page.page.locator(".plots").inner_text()
    page.picture("view_plots")


def test_two_pages_see_the_same(open_page):
    one, two = open_page(), open_page()
    one.click("Pause")
    two.wait(f"sinew.live.settings.paused && {FRAME}.paused")
    step = two(f"{FRAME}.step")
    two.click("Step")
    for page in one, two:
        page.wait(f"{FRAME}.step === {step + 1}")
    assert one(f"Array.from({FRAME}.poses)") == two(f"Array.from({FRAME}.poses)")


def test_server_that_is_gone_is_said_once(open_page, view):
    page = open_page()
    rows = page("sinew.app.track.rows")
    view.process.send_signal(signal.SIGKILL)
    view.process.wait()
    page.page.get_by_role("alert").wait_for()
    assert "has ended" in page.page.get_by_role("alert").inner_text()
    page.page.wait_for_timeout(1500)
    page.picture("view_gone")
    assert page.said == [] and page("sinew.app.track.rows") >= rows  # what was seen stays
    page.click("Connect again")
    page.page.get_by_text("not running any more").wait_for()
    # One connection and one request failed, and the browser says so; no more.
    assert 0 < len(page.said) <= 3, page.said
    page.page.wait_for_timeout(1000)
    assert len(page.said) <= 3
    page.said.clear()


def test_seventeenth_page_is_told_why(open_page, view, browser):
    seats = [view.viewer() for _ in range(16)]
    context = browser.new_context()
    page = context.new_page()
    page.goto(view.address)
    page.get_by_text("16 viewers are watching already").wait_for()
    context.close()
    for s in seats:
        s.close()
