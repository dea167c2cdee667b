"""sinew view under load: a hundred clients that come, stall and vanish, frames that are none, and messages made at random.

All on 127.0.0.1, bounded in count and time.
"""
import contextlib
import json
import os
import socket
import struct
import threading
import time

import pytest
from command import needs_command

pytest.importorskip("websockets")
from view_support import View, make_random, make_ws_frame, mutate  # noqa: E402

pytestmark = needs_command
FUZZED = int(os.environ.get("SINEW_VIEW_FUZZ", "10000"))


@pytest.fixture
def view(tmp_path):
    with View("pendulum:3", cwd=tmp_path) as running:
        yield running
        assert running.process.poll() is None, running.process.communicate()


def is_alive(view):
    """It answers, and simulates from the start: messages may have led to a state that ended the run."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(Exception):
            with view.viewer() as v:
                v.send("gravity", value=[0, 0, -9.81])
                v.send("reset")
                v.pause(False)
                now = v.next()
                v.next(lambda f: f["time"] > now["time"] or f["run"] != now["run"])
                return True
        time.sleep(0.05)
    return False


WRONG_FRAMES = {
    "not masked": make_ws_frame(b"{}", masked=False),
    "reserved opcode": make_ws_frame(b"{}", opcode=3),
    "reserved bits": make_ws_frame(b"{}", reserved=7),
    "continuation of nothing": make_ws_frame(b"{}", opcode=0),
    "too long": make_ws_frame(b"x" * 5000),
    "says 2^62 bytes": make_ws_frame(b"x", length=2**62),
    "says 2^63 bytes": make_ws_frame(b"x", length=2**63),
    "long ping": make_ws_frame(b"x" * 200, opcode=9),
    "fragmented ping": make_ws_frame(b"x", opcode=9, fin=False),
    "not UTF-8": make_ws_frame(b"\xff\xfe\x80"),
    "close with one byte": make_ws_frame(b"x", opcode=8),
    "close with a wrong code": make_ws_frame(b"\x00\x01", opcode=8),
    "fragments without end": b"".join(make_ws_frame(b"x" * 100, opcode=1 if i == 0 else 0, fin=False) for i in range(100)),
    "no frame at all": b"GET / HTTP/1.1\r\n\r\n" * 10,
}


@pytest.mark.parametrize("name", WRONG_FRAMES)
def test_frames_that_are_none_end_that_connection_only(view, name):
    with view.viewer() as v, view.raw() as s:
        s.sendall(WRONG_FRAMES[name])
        s.settimeout(10)
        received, end = b"", time.monotonic() + 10
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < end:  # frames may be on their way; then the end
                data = s.recv(65536)
                if not data:
                    break
                received = (received + data)[-4096:]
        assert time.monotonic() < end, "the connection is still open"
        now = v.next()["time"]
        v.next(lambda f: f["time"] > now)


def test_bytes_that_are_no_request(view):
    rng = make_random(1)
    for _ in range(50):
        with view.raw(shake=False) as s, contextlib.suppress(ConnectionError, TimeoutError):
            s.sendall(rng.choice([rng.randbytes(rng.randrange(1, 3000)) + b"\r\n\r\n", b"GET " + b"a" * rng.randrange(9000) + b"\r\n\r\n",
                                  b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                                  b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"\r\n" * 100]))
            assert not s.recv(100).startswith(b"HTTP/1.1 200")
    assert is_alive(view)


def is_dropped(s, timeout):
    """Everything that was sent to it is read, and then comes the end."""
    s.settimeout(timeout)
    end = time.monotonic() + timeout
    with contextlib.suppress(ConnectionError):
        while time.monotonic() < end:
            if not s.recv(1 << 20):
                return True
        return False
    return True


def test_fuzzed_messages_do_no_harm_and_who_never_reads_is_dropped(view):
    rng = make_random(2)
    memory, began = view.memory(), time.monotonic()
    stalled = view.raw()
    for _ in range(10):
        with view.viewer() as v:
            done = threading.Event()

            def read(v=v, done=done):
                with contextlib.suppress(Exception):
                    while not done.is_set():
                        v.take(timeout=0.2)

            reader = threading.Thread(target=read)
            reader.start()
            for _ in range(FUZZED // 10):
                v.socket.send(mutate(rng).encode("utf-8", "replace").decode()[:4000])
            done.set()
            reader.join()
    assert is_alive(view)
    assert view.memory() < memory + 50
    # Silent for ten seconds, and it is gone.
    time.sleep(max(0, began + 13 - time.monotonic()))
    assert is_dropped(stalled, 2)
    stalled.close()


def test_hundred_clients_that_come_stall_and_vanish(view):
    """The run keeps its rate for the one who watches; memory is bounded."""
    rng = make_random(3)
    counts = {"seated": 0, "refused": 0, "idle": 0}
    end = time.monotonic() + 12
    memory = view.memory()
    with view.viewer() as v:
        v.wait(lambda: v.frame and v.frame["rate"] > 0.5)
        sockets = []

        def trouble():
            for i in range(100):
                kind = i % 4
                with contextlib.suppress(OSError):
                    s = socket.create_connection(("127.0.0.1", view.port), timeout=2)
                    sockets.append(s)
                    if kind == 3:  # half a request, and no more
                        s.sendall(view.handshake()[:rng.randrange(1, 60)])
                        counts["idle"] += 1
                        continue
                    s.sendall(view.handshake())
                    answer = s.recv(12)
                    counts["seated" if answer == b"HTTP/1.1 101" else "refused"] += 1
                    if kind == 1:  # gone without a word
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        s.close()
                    if kind == 2:  # asks, and never reads an answer
                        s.settimeout(0.05)
                        s.sendall(make_ws_frame(json.dumps({"do": "nothing"}).encode()) * 2000)
                time.sleep(0.05)

        mischief = threading.Thread(target=trouble)
        mischief.start()
        began, frames, simulated = time.monotonic(), v.frames, v.frame["time"]
        while mischief.is_alive() or time.monotonic() < began + 5:
            v.take()
            assert time.monotonic() < end + 5
        wall, seen, passed = time.monotonic() - began, v.frames - frames, v.frame["time"] - simulated
        mischief.join()
        for s in sockets:
            s.close()
    print(f"view under load: {counts}, {seen / wall:.0f} frames/s, {passed / wall:.3f} of real time, "
          f"{view.memory() - memory:+.1f} MB")
    assert sum(counts.values()) > 80 and counts["refused"] > 0
    assert passed / wall > 0.8 and seen / wall > 20
    assert view.memory() < memory + 60
    assert is_alive(view)
