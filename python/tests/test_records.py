"""Records as tables, plots and pages, and what notebooks show of other objects."""
import html.parser
import sys

import numpy as np
import pytest
import sinew

EVIL = "<b>&\"ball\"</b>"  # a name that must not become HTML


def run(file, name="ball", steps=700):
    b = sinew.ModelBuilder(name)
    b.world().plane().named("floor")
    b.body(name).mass(sinew.solid_sphere(2, 0.1)).sphere(0.1).named("skin")
    b.free("base", "world", name)
    b.body("arm").mass(sinew.thin_rod(0.1, 0.2), sinew.Transform([0, 0, 0.3]))
    b.revolute("elbow", name, "arm").axis([0, 1, 0]).damping(0.1)
    b.motor("drive", "elbow", gear=2)
    b.sensor(sinew.SensorSpec(name="angle", kind="jointpos", object_kind="joint", object="elbow"))
    sim = sinew.Simulation(b.timestep(1e-3).build())
    sim.control[0] = 0.1
    sim.q[:] = [1, 0, 0, 0, 0, 0, 0.5, 0.4]
    with sinew.Recorder(file, sim) as record:
        sim.run(steps=steps, record=record)
    return sim


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    sims = [run(folder / f"run.{kind}") for kind in ("h5", "csv")]
    return folder, sims


def test_both_kinds_of_files_have_the_same_tables(files):
    pytest.importorskip("pandas")
    folder, (sim, _) = files
    one, two = (sinew.read_record(folder / f"run.{kind}") for kind in ("h5", "csv"))
    assert len(one) == len(two) == 701 and one.model == "ball" and (one.time == two.time).all()
    for table in ("frames", "poses", "energy", "momentum", "work", "certificates", "actuators", "sensors"):
        mine, other = one.table(table), two.table(table)
        assert sorted(mine.columns) == sorted(other.columns) and mine.index.name == "time"
        np.testing.assert_allclose(mine[list(other.columns)], other, rtol=1e-15)
    frames = one.frames
    assert list(frames.columns[:3]) == ["frames/step", "q.base[0]", "q.base[1]"] and "v.elbow" in frames
    np.testing.assert_array_equal(frames.filter(like="q.").iloc[-1], sim.q)
    np.testing.assert_array_equal(frames["v.elbow"].iloc[-1], sim.v[6])
    np.testing.assert_array_equal(one["frames/q"], two["frames/q"])
    np.testing.assert_allclose(one.poses["ball.z"], frames["q.base[6]"])
    assert (one.actuators["control.drive"] == 0.1).all() and one.actuators["force.drive"].iloc[-1] == 0.1
    np.testing.assert_array_equal(one.sensors["sensor.angle"], frames["q.elbow"])


def test_contacts(files):
    pytest.importorskip("pandas")
    folder, _ = files
    record = sinew.read_record(folder / "run.h5")
    contacts = record.contacts
    assert len(contacts) == record["contacts/count"].sum() > 100
    assert set(contacts["body_a"]) | set(contacts["body_b"]) == {"ball", "world"}
    assert set(contacts["pair"]) == {"sphere 'skin' on plane 'floor'"} or all("skin" in p for p in contacts["pair"])
    # Once it has landed, the sum of the forces is what the account of momentum says.
    force = contacts[contacts["time"] > 0.5005]["force.z"].abs().sum()
    upwards = record["momentum/contacts"][:, 5]
    np.testing.assert_allclose(1e-3 * force, upwards[-1] - upwards[500], rtol=1e-9)
    assert contacts["time"].is_monotonic_increasing


def test_plots(files):
    pytest.importorskip("matplotlib")
    folder, _ = files
    for kind in ("h5", "csv"):
        record = sinew.read_record(folder / f"run.{kind}")
        figure = record.plot("energy", "q.elbow", "v.base*")
        assert len(figure.axes) == 3
        lines = [len(a.lines) for a in figure.axes]
        assert lines == [2, 1, 6]
        np.testing.assert_array_equal(figure.axes[1].lines[0].get_ydata(), record["frames/q"][:, 7])
        figure.savefig(folder / f"{kind}.png")
        assert (folder / f"{kind}.png").stat().st_size > 5000
        assert len(record.plot().axes) == 2
        with pytest.raises(KeyError, match="q.knee"):
            record.plot("q.knee")


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def read_html(text):
    reader = Reader()
    reader.feed(text)
    return reader


def test_pages_escape_names(tmp_path):
    sim = run(tmp_path / "evil.h5", EVIL, 10)
    record = sinew.read_record(tmp_path / "evil.h5")
    for thing in (record, sim, sim.model):
        page = read_html(thing._repr_html_())
        assert "b" in page.tags and "table" in page.tags
        assert EVIL in page.text, thing  # as text, not as a tag
        assert EVIL not in thing._repr_html_()
    for thing in (sim.totals, sim.report, sim.totals.work):
        assert read_html(thing._repr_html_()).tags[:2] == ["b", "table"]
    assert "steps" in sim.totals._repr_html_() and EVIL in repr(record)


def test_texts_are_short(files):
    _, (sim, _) = files
    text = repr(sim.totals)
    assert "\n" not in text and "steps=700" in text and "array" not in text
    assert sim.totals.work.total != 0 and f"total={sim.totals.work.total:.6g}" in text


def test_errors_and_missing_packages(files, tmp_path, monkeypatch):
    folder, _ = files
    record = sinew.read_record(folder / "run.h5")
    with pytest.raises(KeyError, match="frames/p"):
        record["frames/p"]
    with pytest.raises(KeyError, match="tables"):
        record.table("tables")
    with pytest.raises(RuntimeError, match="is a list"):
        record.reader.text("meta/joints")
    with pytest.raises(ValueError, match="no rows"):
        record.reader.read("meta/options")
    assert record.reader.names("meta/joints") == ["base", "elbow"] and record.reader.names("meta/none") == []
    for text in ("", "a,b\n1,2\n"):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(ValueError, match="bad.csv"):
            sinew.read_record(tmp_path / "bad.csv")
    (tmp_path / "bad.h5").write_text("no")
    with pytest.raises(ValueError, match="bad.h5"):
        sinew.read_record(tmp_path / "bad.h5")
    # A CSV record whose last line was cut.
    text = (folder / "run.csv").read_text()
    (tmp_path / "cut.csv").write_text(text[:-20])
    assert len(sinew.read_record(tmp_path / "cut.csv")) in (700, 701)
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not installed
    with pytest.raises(ImportError, match=r"sinew\[records\]"):
        record.table("energy")
    assert record.values("energy").shape == (701, 2)  # without pandas
