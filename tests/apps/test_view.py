"""sinew view: who may come in, what orders do, and what is written; see test_view_load.py for those who mean no good."""
import json
import os
import signal
import socket

import pytest
from command import MODELS, needs_command, sinew

pytest.importorskip("websockets")
h5py = pytest.importorskip("h5py")
from view_support import View  # noqa: E402
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402

pytestmark = needs_command
QUADRUPED = MODELS / "scenes/quadruped.xml"


@pytest.fixture
def view(request, tmp_path):
    args = getattr(request, "param", ["pendulum:3"])
    with View(*args, cwd=tmp_path) as running:
        running.folder = tmp_path
        yield running


# --- the door ---------------------------------------------------------------------------------------------------------


def test_page_is_served_to_whoever_has_the_address(view):
    page = view.ask()
    assert page.status == 200 and page.headers["Content-Type"].startswith("text/html")
    assert "application/x-sinew-live" in page.text and "SINEW-DATA" not in page.text
    assert page.headers["X-Content-Type-Options"] == "nosniff" and page.headers["Cache-Control"] == "no-store"
    assert f"ws://{view.host}" in page.headers["Content-Security-Policy"]
    by_name = f"localhost:{view.port}"
    assert view.ask(Host=by_name).status == 200
    assert view.ask(Host="localhost:9999").status == 200  # a tunnel of ssh has another port
    assert view.ask(method="HEAD").status == 200


@pytest.mark.parametrize("target", ["/", "/?token=", "/?token=0123456789abcdef0123456789abcdef", "/?tokens=x", "/stream"])
def test_token_is_asked_for(view, target):
    answer = view.ask(target)
    assert answer.status == 403 and "token" in answer.text


@pytest.mark.parametrize("host", [None, "", "evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "127.0.0.2",
                                  "localhost:{port}:1", "127.0.0.1:", "[::1", "169.254.1.1"])
def test_other_hosts_are_refused(view, host):
    answer = view.ask(Host=host and host.format(port=view.port))
    assert answer.status in (400, 403)


def test_other_origins_are_refused(view):
    assert view.ask(Origin="http://evil.example").status == 403
    assert view.ask(Origin=view.origin).status == 200
    for origin in [None, "null", "http://evil.example", f"https://{view.host}", "http://localhost:1", f"http://localhost:{view.port}"]:
        with pytest.raises(InvalidStatus) as refused:
            view.viewer(origin=origin)
        assert refused.value.response.status_code == 403, origin
    view.stream = view.stream[:-1] + ("0" if view.stream[-1] != "0" else "1")
    with pytest.raises(InvalidStatus) as refused:
        view.viewer()
    assert refused.value.response.status_code == 403


def test_no_other_pages_and_methods(view):
    for target in [f"/../../etc/passwd?{view.query}", f"/etc/passwd?{view.query}", f"//?{view.query}", f"/favicon.ico?{view.query}"]:
        assert view.ask(target).status == 404, target
    for method in ["POST", "PUT", "DELETE", "OPTIONS"]:
        assert view.ask(method=method).status == 405
    assert view.ask(f"/stream?{view.query}").status == 426
    assert view.ask(**{"X-Long": "x" * 20000}).status == 431


# --- orders -----------------------------------------------------------------------------------------------------------


def test_runs_in_real_time_and_says_what_it_shows(view):
    with view.viewer() as v:
        scene = v.hello["scene"]
        assert scene["format"] == "sinew scene" and len(scene["bodies"]) == 4
        assert v.hello["formulations"] == ["nmc", "mc", "rmc", "os", "nmc_os", "hinge_pairs"]
        first = v.next()
        assert len(first["poses"]) == 7 * 4 and len(first["positions"]) == 3 and not first["paused"]
        later = v.next(lambda f: f["time"] > first["time"] + 1)
        assert later["step"] > first["step"] and abs(later["unaccounted"]) < 1
        v.wait(lambda: 0.7 < v.frame["rate"] < 1.3)


def test_pause_step_reset_speed(view):
    with view.viewer() as v:
        v.next(lambda f: f["time"] > 0.1)
        assert "not paused" in v.error("step", count=1)
        v.pause()
        before = v.frame
        assert v.next()["step"] == before["step"]
        v.send("step", count=1)
        assert v.next(lambda f: f["step"] != before["step"])["step"] == before["step"] + 1
        v.send("step", count=1000)
        v.next(lambda f: f["step"] == before["step"] + 1001)
        v.send("reset")
        again = v.next(lambda f: f["run"] != before["run"])
        assert again["step"] == 0 and again["time"] == 0 and again["paused"] and again["work"] == 0
        v.send("speed", factor=0.1)
        v.wait(lambda: v.settings["speed"] == 0.1)
        v.pause(False)
        v.next(lambda f: 0.05 < f["rate"] < 0.2)


ARM = ('<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body><joint axis="0 1 0"/><geom size="0.05" pos="0.3 0 0"/>'
       '<body pos="0.3 0 0"><joint axis="0 1 0"/><geom size="0.05" pos="0 0 0.3"/></body></body></worldbody></mujoco>')


def test_pulling_at_a_body_is_work_that_is_accounted_for(tmp_path, write):
    with View(write(ARM), "--paused", cwd=tmp_path) as view, view.viewer() as v:
        rest = v.next()
        assert rest["kinetic"] == 0 and rest["poses"][14:17] == pytest.approx((0.3, 0, 0))
        v.send("drag", body=2, point=[0, 0, 0.3], target=[0.35, 0, 0.4])
        assert v.next(lambda f: f["drags"])["drags"] == pytest.approx((0.3, 0, 0.3, 0.35, 0, 0.4), abs=1e-6)
        v.send("step", count=100)
        moved = v.next(lambda f: f["step"] == 100)
        assert moved["mouse"] > 1e-3 and moved["kinetic"] > 1e-3
        # All energy there is comes from the mouse.
        assert moved["work"] == moved["mouse"] and moved["edits"] == 0 and moved["potential"] == 0
        assert moved["kinetic"] - moved["mouse"] == pytest.approx(moved["unaccounted"], abs=1e-12)
        assert abs(moved["unaccounted"]) < 0.02 * moved["mouse"]
        v.send("step", count=1000)
        v.send("step", count=1000)
        there = v.next(lambda f: f["step"] == 2100)
        assert there["drags"][:3] == pytest.approx((0.35, 0, 0.4), abs=1e-3)  # the spring has drawn it there
        v.send("release")
        v.next(lambda f: not f["drags"])
        v.send("step", count=10)
        assert v.next(lambda f: f["step"] == 2110)["mouse"] == there["mouse"]
        assert "between 0 and 2" in v.error("drag", body=99, point=[0, 0, 0], target=[0, 0, 0])
        assert "fixed" in v.error("drag", body=0, point=[0, 0, 0], target=[0, 0, 0])
        assert "nothing there can move" in v.error("drag", body=1, point=[0, 0, 0], target=[0, 0, 0])


def test_gravity_and_formulation_change_while_it_runs(view):
    with view.viewer() as v:
        v.next(lambda f: f["time"] > 0.2)
        v.pause()
        before = v.frame
        v.send("gravity", value=[1, 0, -1.62])
        v.wait(lambda: v.settings["gravity"] == [1, 0, -1.62])
        after = v.next()
        # The same state, another potential: an edit of the energy, not an error of the run.
        assert after["poses"] == before["poses"] and after["step"] == before["step"]
        change = after["kinetic"] + after["potential"] - before["kinetic"] - before["potential"]
        assert after["edits"] - before["edits"] == pytest.approx(change, abs=1e-9) and abs(change) > 1e-3
        assert after["unaccounted"] == pytest.approx(before["unaccounted"], abs=1e-9)
        for name in v.hello["formulations"]:
            v.send("formulation", name=name)
            v.wait(lambda: v.settings["formulation"] == name)
            step = v.frame["step"]
            v.send("step", count=20)
            moved = v.next(lambda f: f["step"] == step + 20)
            assert not moved["flags"] & 4 and moved["residual"] < 1e-7
        assert "known" in v.error("formulation", name="best")


def test_joints_are_set_within_their_limits_while_paused(tmp_path, write):
    model = write('<mujoco><option timestep="0.001"/><worldbody><body name="a"><joint name="hinge" axis="0 1 0" range="-30 40"/>'
                  '<geom size="0.1" pos="0.3 0 0"/></body></worldbody>'
                  '<actuator><motor name="m" joint="hinge" ctrlrange="-2 2"/></actuator></mujoco>')
    with View(model, "--paused", cwd=tmp_path) as view, view.viewer() as v:
        assert v.hello["ranges"] == [[pytest.approx(-0.5236, abs=1e-4), pytest.approx(0.69813, abs=1e-4)]]
        v.send("position", joint=0, value=0.5)
        assert v.next(lambda f: f["positions"][0] != 0)["positions"] == (0.5,)
        assert v.frame["edits"] != 0 and abs(v.frame["unaccounted"]) < 1e-12
        assert "between" in v.error("position", joint=0, value=0.8)
        assert v.frame["positions"] == (0.5,)
        v.send("control", actuator=0, value=1.5)
        assert v.next(lambda f: f["controls"][0] != 0)["controls"] == (1.5,)
        assert "between" in v.error("control", actuator=0, value=2.5)
        v.pause(False)
        assert "pause" in v.error("position", joint=0, value=0.1)


def test_loops_stay_closed_when_a_joint_is_set(tmp_path):
    with View(MODELS / "four_bar.xml", "--paused", "--dt", "0.001", cwd=tmp_path) as view, view.viewer() as v:
        joint = next(i for i, r in enumerate(v.hello["ranges"]) if r)
        before = v.next()["positions"]
        v.send("position", joint=joint, value=before[joint] + 0.2)
        after = v.next(lambda f: f["positions"] != before)["positions"]
        assert sum(abs(a - b) > 1e-3 for a, b in zip(after, before)) > 1
        v.send("step", count=10)
        assert v.next(lambda f: f["step"] == 10)["residual"] < 1e-7


def test_record_goes_to_the_file_of_the_command_line(tmp_path):
    with View("pendulum:3", "--record", "mine.h5", cwd=tmp_path) as view, view.viewer() as v:
        v.pause()
        for name in ("mine.h5", "mine-2.h5"):
            v.send("record", on=True)
            v.wait(lambda: v.settings["recording"])
            first = v.frame["step"]
            for do in ("reset", "gravity", "formulation"):
                more = {"gravity": {"value": [0, 0, 0]}, "formulation": {"name": "mc"}}.get(do, {})
                assert "stop recording first" in v.error(do, **more)
            v.send("step", count=50)
            v.next(lambda f: f["step"] == first + 50)
            v.send("record", on=False)
            v.wait(lambda: not v.settings["recording"])
            with h5py.File(tmp_path / name) as f:
                assert f["finished"][0] == 1 and len(f["frames/step"]) == 51
        assert "off already" in v.error("record", on=False)
        assert "no key 'file'" in v.error("record", on=True, file="/tmp/elsewhere.h5")
    assert sorted(os.listdir(tmp_path)) == ["mine-2.h5", "mine.h5"]


def test_record_that_cannot_be_written_is_said(tmp_path):
    with View("pendulum:3", "--record", tmp_path / "nowhere/run.h5", cwd=tmp_path) as view, view.viewer() as v:
        assert "record:" in v.error("record", on=True)
        v.next()
        assert not v.settings["recording"]


@pytest.mark.parametrize("message, says", [
    ("", "JSON"), ("{", "JSON"), ("[]", "object"), ('{"do": 3}', "do"), ('{"do": "fly"}', "known"),
    ('{"do": "pause"}', "missing"), ('{"do": "pause", "on": 1}', "true or false"), ('{"do": "pause", "on": true, "x": 1}', "no key"),
    ('{"do": "step", "count": 1.5}', "whole"), ('{"do": "step", "count": 1e9}', "between"), ('{"do": "speed", "factor": 0}', "between"),
    ('{"do": "drag", "body": 1, "point": [0, 0], "target": [0, 0, 0]}', "three"),
    ('{"do": "drag", "body": 1, "point": [0, 0, "x"], "target": [0, 0, 0]}', "number"),
    ('{"do": "gravity", "value": [0, 0, 1e300]}', "between"), ("[" * 3000, "deep"),
])
def test_wrong_messages_are_answered(view, message, says):
    with view.viewer() as v:
        v.socket.send(message)
        said = v.wait(lambda: next((n["text"] for n in v.notes if n["type"] == "error"), None))
        assert says in said
        v.socket.send(b"binary")
        v.wait(lambda: any("text" in n["text"] for n in v.notes))


# --- clients ----------------------------------------------------------------------------------------------------------


def test_two_clients_see_the_same_run(view):
    with view.viewer() as a, view.viewer() as b:
        a.pause()
        b.wait(lambda: b.settings["paused"])
        a.send("step", count=7)
        step = a.next()["step"]
        b.next(lambda f: f["step"] == step)
        assert a.frame["poses"] == b.frame["poses"] and a.frame["kinetic"] == b.frame["kinetic"]
        # What a client holds is let go when it goes.
        a.send("drag", body=1, point=[0.1, 0, 0.1], target=[1, 1, 1])
        b.next(lambda f: f["drags"])
        b.send("drag", body=2, point=[0, 0, 0.1], target=[1, 1, 1])
        b.next(lambda f: len(f["drags"]) == 12)
        a.socket.socket.shutdown(socket.SHUT_RDWR)
        b.next(lambda f: len(f["drags"]) == 6)


def test_seventeenth_viewer_is_told_to_wait(view):
    seats = [view.viewer() for _ in range(16)]
    with pytest.raises(InvalidStatus) as refused:
        view.viewer()
    assert refused.value.response.status_code == 503 and b"16 viewers" in refused.value.response.body
    assert view.ask(f"/stream?{view.query}").status == 503
    assert view.ask().status == 200
    seats.pop().close()
    for _ in range(100):
        try:
            seats.append(view.viewer())
            break
        except InvalidStatus:
            pass
    assert len(seats) == 16


# --- the process ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_it_and_completes_the_record(view, how):
    with view.viewer() as v:
        v.send("record", on=True)
        v.wait(lambda: v.settings["recording"] and v.next()["flags"] & 2)
        code, out, err = view.end(how)
        assert code == 0 and "wrote sinew-view.h5" in out and err == ""
        with pytest.raises(ConnectionClosed):
            while True:
                v.take()
    with h5py.File(view.folder / "sinew-view.h5") as f:
        assert f["finished"][0] == 1


def test_port_in_use_is_an_error_that_says_so(view):
    again = sinew("view", "pendulum:3", "--port", view.port)
    assert again.returncode == 2 and f"port {view.port}" in again.stderr and "--port" in again.stderr
    assert again.stdout == ""


@pytest.mark.parametrize("args, says", [
    (["--port", "99999"], "65535"), (["--port", "x"], "port"), (["--bind", "example.org"], "--bind"), (["--bind", "8.8.8.8"], "8.8.8.8"),
    (["--speed", "0"], "--speed"), (["--dump", "x.json"], "--dump"), (["--formulation", "best"], "formulation"), (["--prot", "1"], "--port"),
])
def test_wrong_options(args, says):
    done = sinew("view", "pendulum:3", *args)
    assert done.returncode in (2, 3) and says in done.stderr


def test_other_address_is_warned_of(tmp_path):
    with View("pendulum:3", "--bind", "127.0.0.2", cwd=tmp_path) as view:
        assert "127.0.0.2" in view.address
        code, _, err = view.end(signal.SIGTERM)
        assert code == 0 and err == ""
    with View("pendulum:3", "--bind", "::1", cwd=tmp_path) as view:
        assert view.address.startswith("http://[::1]:")


def test_scene_that_is_refused(write):
    assert sinew("view", write("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")).returncode == 2


def test_pauses_after_for(tmp_path):
    with View("pendulum:3", "--for", "0.3", "--speed", "5", cwd=tmp_path) as view, view.viewer() as v:
        v.wait(lambda: v.settings["paused"])
        assert v.next(lambda f: f["paused"])["time"] == pytest.approx(0.3, abs=2e-3)


def test_run_that_breaks_is_paused_and_said(tmp_path, write):
    model = write('<mujoco><option timestep="0.001"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>'
                  '</body></worldbody><actuator><motor joint="j" gear="1e300"/></actuator></mujoco>')
    with View(model, cwd=tmp_path) as view, view.viewer() as v:
        v.send("control", actuator=0, value=1000)
        v.wait(lambda: v.settings["paused"] and any(n["type"] == "error" for n in v.notes))
        v.send("reset")
        assert v.next(lambda f: f["step"] == 0)["kinetic"] == 0


def test_quadruped_with_actuators(tmp_path):
    with View(QUADRUPED, cwd=tmp_path) as view, view.viewer() as v:
        frame = v.next(lambda f: f["time"] > 0.5)
        assert frame["contacts"] and len(frame["contacts"]) % 12 == 0
        assert len(frame["controls"]) == len(v.hello["scene"]["actuators"]) > 0
        assert json.dumps(v.hello["controls"])
