"""Reports of records, beside the command `sinew report`, and what a notebook shows of a record."""
import html
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import sinew
from test_records import run


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    for name, steps in (("one", 300), ("two", 200)):
        run(folder / f"{name}.h5", steps=steps)
    run(folder / "one.csv", steps=20)
    return folder


def test_one_record(records):
    record = sinew.read_record(records / "one.h5")
    report = record.report(records / "one.html")
    assert (records / "one.html").read_bytes() == report.html.encode() == sinew.make_report(records / "one.h5").html.encode()
    (only,) = report.runs
    assert (only.title, only.rows) == ("one", 301) and 2 < only.kept <= 301 and only.bytes < only.raw_bytes
    assert report.html.count('type="application/x-sinew-run"') - sinew.get_report_page().count(
        'type="application/x-sinew-run"') == 1
    assert isinstance(report.left_out, list) and "1 runs" in repr(report) and "rows=301" in repr(only)
    few = record.report(rows_per_second=10)
    assert few.runs[0].kept < only.kept
    with pytest.raises(FileExistsError, match="overwrite=True"):
        record.report(records / "one.html")
    record.report(records / "one.html", rows_per_second=10, overwrite=True)
    assert (records / "one.html").read_bytes() == few.html.encode()


def test_several_records(records):
    both = sinew.make_report([sinew.read_record(records / "one.h5"), str(records / "two.h5")], out=records / "both.html")
    assert [r.title for r in both.runs] == ["one", "two"] and both.runs[1].rows == 201
    assert len(re.findall('data-bodies="([0-9a-f]+)"', both.html)) == 2


def test_the_command_makes_the_same_page(records):
    app = os.environ.get("SINEW_APP")
    if not app or not pathlib.Path(app).exists():
        pytest.skip("SINEW_APP names no command")
    files = [str(records / "one.h5"), str(records / "two.h5")]
    subprocess.run([app, "report", *files, "-o", str(records / "command.html"), "--rows", "50"], check=True,
                   capture_output=True, timeout=60)
    ours = sinew.make_report(files, rows_per_second=50)
    assert (records / "command.html").read_bytes() == ours.html.encode()


def test_notebooks_show_the_report(records, monkeypatch):
    record = sinew.read_record(records / "one.h5")
    page = record._repr_html_()
    frame = re.search(r'<iframe sandbox="allow-scripts"[^>]* srcdoc="([^"]*)"></iframe>', page)
    assert frame and html.unescape(frame[1]) == record.report().html
    assert "Summary" in page and "unsolved problems" in page
    monkeypatch.setattr("sinew.records._SHOWN", 1000)
    assert "<iframe" not in record._repr_html_() and "would be large" in record._repr_html_()
    monkeypatch.setattr("sinew.records._READ", 1000)
    assert "would be large" in record._repr_html_()
    table = sinew.read_record(records / "one.csv")._repr_html_()
    assert "<iframe" not in table and "only HDF5" in table and "unsolved problems" in table


def test_records_without_a_report(records, tmp_path):
    for file, match in [(records / "one.csv", "one.csv"), (tmp_path / "none.h5", "none.h5")]:
        with pytest.raises(ValueError, match=match):
            sinew.make_report(file)
    with pytest.raises(ValueError, match="one.csv"):
        sinew.read_record(records / "one.csv").report(tmp_path / "out.html")
    assert not (tmp_path / "out.html").exists()
    for wrong, error, match in [(dict(rows_per_second=0), ValueError, "rows_per_second"), (dict(most_rows=1), ValueError, "most_rows"),
                                (dict(out=tmp_path / "no" / "out.html"), FileNotFoundError, "out.html")]:
        with pytest.raises(error, match=match):
            sinew.make_report(records / "one.h5", **wrong)
    with pytest.raises(ValueError, match="no record"):
        sinew.make_report([])
    with pytest.raises(TypeError):
        sinew.make_report(3)


def test_the_frame_plays_in_a_browser(records, tmp_path):
    """In a sandbox, as notebooks show it: the page draws, and cannot see the notebook."""
    chromium = shutil.which("chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: tools/setup.sh browser installs it")
    if not chromium:
        pytest.skip("no Chromium: tools/setup.sh browser installs it")
    page_file = tmp_path / "notebook.html"
    page_file.write_text("<!doctype html><meta charset=utf-8><body>" + sinew.read_record(records / "one.h5")._repr_html_())
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        wrong = []
        page.on("pageerror", lambda e: wrong.append(str(e)))
        page.goto(f"file://{page_file}")
        page.wait_for_selector("iframe")
        frame = page.frames[1]
        frame.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        assert frame.evaluate("document.querySelector('canvas').width") > 100
        assert frame.evaluate("(() => { try { return !!parent.document; } catch { return false; } })()") is False
        browser.close()
    assert wrong == []
