"""The report of a known run in a real browser: it loads, plays, scrubs, and its numbers are those of the record."""
import json
import re

import pytest

from browser import ARGUMENTS, CHROMIUM, ROOT, Page, needs_browser, sync_playwright
from command import needs_command, sinew

sys_ = None
h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")
pytestmark = [needs_browser, needs_command]
FALL = ROOT / "models/scenes/humanoid_falls.xml"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Records and reports: a pendulum with collisions and a humanoid that falls."""
    folder = tmp_path_factory.mktemp("report")
    for name, scene, more in (("pendulum", "pendulum:12", ["--for", "2"]), ("fall", FALL, ["--for", "1.5"]),
                              ("slow", FALL, ["--for", "1.5", "--gravity", "0,0,-5"])):
        done = sinew("sim", scene, *more, "--record", folder / f"{name}.h5")
        assert done.returncode in (0, 5), done.stderr
        done = sinew("report", folder / f"{name}.h5")
        assert done.returncode == 0, done.stderr
    done = sinew("report", folder / "fall.h5", folder / "slow.h5", "-o", folder / "both.html")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def open_page(browser):
    pages = []

    def to(file, *more, **named):
        pages.append(Page(browser, file, *more, **named))
        return pages[-1]

    yield to
    for p in pages:
        said = p.said
        p.close()
        assert said == []  # nothing on the console, in any test


def test_loads_with_a_picture(open_page, runs):
    page = open_page(runs / "fall.html", "t=0.7")
    assert page("document.title") == "fall · Sinew"
    colours = page("""() => {
      const app = sinew.app; app.stage.drawNow();
      const c = document.createElement('canvas'); c.width = 64; c.height = 64;
      const g = c.getContext('2d'); g.drawImage(app.stage.canvas, 0, 0, 64, 64);
      return new Set(new Uint32Array(g.getImageData(0, 0, 64, 64).data.buffer)).size; }""")
    assert colours > 50  # not an empty canvas
    page.picture("report_desktop")


@pytest.mark.parametrize("name", ["pendulum", "fall"])
def test_numbers_are_those_of_the_record(open_page, runs, name):
    page = open_page(runs / f"{name}.html")
    rows = page("sinew.rows")
    kept = np.array(page("Array.from({length: sinew.rows}, (_, i) => sinew.recordRow(i))"))
    assert (np.diff(kept) > 0).all()
    with h5py.File(runs / f"{name}.h5") as f:
        n = int(f["committed"][0])
        assert kept[0] == 0 and kept[-1] == n - 1

        def column(signal):
            return np.array(page("name => Array.from(sinew.app.book.values(name))", signal))

        times = page("Array.from({length: sinew.rows}, (_, i) => sinew.app.tracks[0].time(i))")
        assert times == f["frames/time"][:][kept].tolist()  # exact
        for signal, values in [("energy/kinetic", f["energy/kinetic"][:]), ("energy/potential", f["energy/potential"][:]),
                               ("certificates/contacts", f["certificates/contacts"][:])]:
            assert column(signal) == pytest.approx(values[kept].astype("f4"), rel=1e-7, abs=0), signal
        for k, joint in enumerate(f["meta/q"][:]):
            assert (column(joint.decode()) == f["frames/q"][:, k][kept].astype("f4")).all(), joint
        # Sums and worst values of the rows between are in the next row that is kept.
        worst, sums = f["certificates/residual"][:n], f["certificates/collisions"][:n]
        edges = np.concatenate([[-1], kept])
        assert (column("certificates/residual") == [worst[a + 1:b + 1].max().astype("f4") for a, b in zip(edges, kept)]).all()
        assert (column("certificates/collisions") == [sums[a + 1:b + 1].sum() for a, b in zip(edges, kept)]).all()
        work = np.cumsum(f["work/collisions"][:n])[kept]
        assert column("work/collisions") == pytest.approx(work, rel=1e-6, abs=1e-12)

        # Poses to the stated precision; contacts of a row.
        quantum = page("sinew.app.tracks[0].header.quantum")
        for row in {0, rows // 3, rows - 1}:
            poses = np.array(page("r => sinew.poses(r)", row)).reshape(-1, 7)
            there = f["bodies/poses"][kept[row]]
            assert abs(poses[:, :3] - there[:, :3]).max() <= 0.51 * quantum + 1e-6 * abs(there[:, :3]).max()
            turns = np.minimum(abs(poses[:, 3:] - there[:, 3:]), abs(poses[:, 3:] + there[:, 3:])).max(axis=1)
            # Four numbers, each off by half of 1/32767 at most, then scaled to length one: twice that.
            assert turns.max() < 3.06e-5
            count, first = int(f["contacts/count"][kept[row]]), int(f["contacts/first"][kept[row]])
            contacts = page("r => { const c = sinew.contacts(r); return [c.count, [...c.force], [...c.point]]; }", row)
            assert contacts[0] == count
            assert contacts[1] == pytest.approx(f["contacts/force"][first:first + count].ravel(), rel=1e-4, abs=1e-30)
            assert contacts[2] == pytest.approx(f["contacts/point"][first:first + count].ravel(), abs=quantum + 1e-6)


def test_legend_shows_the_number_under_the_cursor(open_page, runs):
    page = open_page(runs / "fall.html")
    row = page("sinew.seekRow(Math.floor(sinew.rows / 2)), sinew.recordRow(sinew.row)")
    shown = page.page.inner_text('[data-signal="energy/kinetic"] output').replace("−", "-")
    with h5py.File(runs / "fall.h5") as f:
        assert float(shown) == pytest.approx(f["energy/kinetic"][row], rel=1e-5)
    x, w = page("() => { const c = document.querySelector('.plot-cursor'), o = c.parentElement.getBoundingClientRect(); "
                "return [c.getBoundingClientRect().left - o.left, o.width]; }")
    assert x / w == pytest.approx(page("sinew.time") / 1.5, abs=0.01)  # the line of the cursor stands there
    # A drag in a plot moves the same cursor.
    box = page.page.locator(".plot .u-over").first.bounding_box()
    page.page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 20)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 20)
    page.page.mouse.up()
    assert page("sinew.time") == pytest.approx(0.75 * 1.5, abs=0.02)


def test_plays_and_scrubs(open_page, runs):
    page = open_page(runs / "fall.html")
    before = page("sinew.poses(sinew.row)")
    page.page.click("button.play")
    page.page.wait_for_function("sinew.time > 0.2")
    page.page.click("button.play")
    assert page("sinew.playing") is False
    assert page("sinew.time === sinew.app.tracks[0].time(sinew.row)")  # it stands on a row
    assert page("sinew.poses(sinew.row)") != before
    page.page.locator("input.scrub").fill("1")
    assert page("sinew.time") == pytest.approx(1, abs=0.006)
    assert "1 s" in page.page.inner_text(".clock")


def test_picking_selects_in_the_tree_and_back(open_page, runs):
    page = open_page(runs / "fall.html", "t=0")
    name = page("""() => { const s = sinew.app.stage; s.drawNow(); const r = s.canvas.getBoundingClientRect();
      for (const b of sinew.app.tracks[0].scene.bodies.slice(1)) { const p = s.project(sinew.app.tracks[0].scene.bodies.indexOf(b));
        if (s.findHit(r.left + p.x, r.top + p.y)?.body > 0) return b.name; } }""")
    at = page("name => { const r = sinew.app.stage.canvas.getBoundingClientRect(), p = sinew.project(name); "
              "return [r.left + p.x, r.top + p.y]; }", name)
    page.page.mouse.click(*at)
    picked = page("sinew.app.selected")
    assert picked > 0
    page.page.click("#tab-Model")
    assert page.page.get_attribute(f'[data-body="{picked}"]', "aria-selected") == "true"
    other = 2 if picked != 2 else 3
    page.page.click(f'[data-body="{other}"]')
    assert page("sinew.app.selected") == other
    assert page.page.inner_text(".detail h3") == page("b => sinew.app.tracks[0].scene.bodies[b].name", other)
    page.picture("report_model")


def test_events_move_the_cursor(open_page, runs):
    page = open_page(runs / "pendulum.html", "tab=events")
    events = page("sinew.events")
    assert any(e["kind"] == "collision" for e in events)
    page.page.locator(".event").nth(1).click()
    assert page("sinew.row") == events[1]["row"]
    assert page.page.locator(".event").nth(1).get_attribute("aria-current") == "true"
    page.page.keyboard.press("]")
    assert page("sinew.row") == next(e["row"] for e in events if e["row"] > events[1]["row"])
    with h5py.File(runs / "pendulum.h5") as f:
        rows = {int(page("r => sinew.recordRow(r)", e["row"])) for e in events if e["kind"] == "collision"}
        assert all(f["certificates/collisions"][r] > 0 for r in rows)
    page.picture("report_events")


def test_keyboard(open_page, runs):
    page = open_page(runs / "fall.html")
    press = page.page.keyboard.press
    press("ArrowRight")
    press("ArrowRight")
    assert page("sinew.row") == 2
    press("ArrowLeft")
    assert page("sinew.row") == 1
    press("End")
    assert page("sinew.row") == page("sinew.rows") - 1
    press("Home")
    assert page("sinew.row") == 0
    for key, what in (("c", "contacts"), ("a", "forces"), ("b", "frames"), ("m", "centre"), ("g", "grid")):
        before = page(f"sinew.app.stage.look.{what}")
        press(key)
        assert page(f"sinew.app.stage.look.{what}") is not before, key
    press("2")
    assert page.page.is_visible(".panel.events")
    press("+")
    assert page("sinew.app.speed") == 2
    press("?")
    assert page.page.is_visible(".help")
    press("Escape")
    assert not page.page.is_visible(".help")
    press(" ")
    assert page("sinew.playing") is True
    press(" ")
    press("d")
    assert page("document.documentElement.dataset.theme") == "dark"


def test_dark(open_page, runs):
    page = open_page(runs / "fall.html", "t=0.6", dark=True)
    assert page("document.documentElement.dataset.theme") == "dark"
    assert page("getComputedStyle(document.body).backgroundColor") == "rgb(27, 28, 32)"
    page.picture("report_dark")


def test_phone(open_page, runs):
    page = open_page(runs / "fall.html", "t=0.6", width=390, height=844, phone=True)
    assert page("document.documentElement.scrollWidth <= innerWidth")  # nothing sticks out
    stage, side = (page.page.locator(s).bounding_box() for s in (".stage", ".side"))
    assert side["y"] >= stage["y"] + stage["height"] and stage["width"] == 390
    page.page.tap("#tab-Certificate")
    assert "solved" in page.page.inner_text(".certificate")
    page.page.tap("#tab-Plots")
    page.picture("report_phone")


def test_two_records(open_page, runs):
    page = open_page(runs / "both.html", "t=0.5")
    assert page("sinew.app.tracks.length") == 2
    distance = page("""() => { const [a, b] = sinew.app.tracks, pa = new Float32Array(7 * a.scene.bodies.length), pb = pa.slice();
      a.poses(sinew.row, pa); b.poses(sinew.row, pb); return Math.hypot(pa[7] - pb[7], pa[8] - pb[8], pa[9] - pb[9]); }""")
    assert distance > 0.01  # another gravity
    page.page.locator(".chip-button", has_text="Δ").first.click()
    assert "Δ" in page.page.inner_text(".legend >> nth=0")
    page.picture("report_two")


def test_chosen_signals(open_page, runs):
    page = open_page(runs / "fall.html")
    page.page.click("text=Add a plot")
    page.page.fill(".chooser input[type=search]", "position")
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Escape")
    assert page.page.locator(".card .legend").last.inner_text() != ""


def test_nothing_is_asked_from_a_network(runs):
    text = (runs / "fall.html").read_text()
    page = re.sub(r'<script type="application/x-sinew-run"[^>]*>.*?</script>', "", text, flags=re.S)
    assert not re.search(r'(src|href)\s*=\s*"https?:', page)
    assert "three.js" in page.lower() and "uPlot" in page  # licences stay


def test_command(runs, tmp_path):
    assert sinew("report").returncode == 3
    done = sinew("report", runs / "fall.h5")
    assert done.returncode == 3 and "--force" in done.stderr
    assert sinew("report", runs / "fall.h5", "-o", tmp_path / "x.txt").returncode == 3
    assert sinew("report", FALL, "-o", tmp_path / "x.html").returncode == 2
    assert not (tmp_path / "x.html").exists()
    done = sinew("report", runs / "fall.h5", "-o", tmp_path / "x.html", "--json")
    said = json.loads(done.stdout)
    assert said["bytes"] == (tmp_path / "x.html").stat().st_size and said["runs"][0]["kept"] <= said["runs"][0]["rows"]
    again = sinew("report", runs / "fall.h5", "-o", tmp_path / "y.html")
    assert again.returncode == 0 and (tmp_path / "x.html").read_bytes() == (tmp_path / "y.html").read_bytes()
    done = sinew("sim", "pendulum:3", "--for", "0.1", "--report", tmp_path / "sim.html")
    assert done.returncode == 0 and "sim.html" in done.stdout and (tmp_path / "sim.html").stat().st_size > 100_000
