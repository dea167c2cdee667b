"""sinew view under test: the server as a process, a client of its stream, and raw sockets for what a client must not do."""
import http.client
import json
import os
import random
import socket
import struct
import time
import urllib.parse

from command import start
from websockets.sync.client import connect

HEAD = struct.Struct("<4s5I2I11d")
NUMBERS = "time step rate kinetic potential work mouse edits unaccounted residual penetration".split()
PAUSED, RECORDING, UNSOLVED = 1, 2, 4


def read_frame(data):
    """A frame as apps/view/frame.hpp describes it."""
    magic, *head = HEAD.unpack_from(data)
    assert magic == b"SNW1"
    sizes, (flags, run), numbers = head[:5], head[5:7], head[7:]
    assert len(data) == HEAD.size + 4 * sum(sizes)
    frame = {"flags": flags, "run": run, "paused": bool(flags & PAUSED), **dict(zip(NUMBERS, numbers))}
    at = HEAD.size
    for name, size in zip(("poses", "positions", "controls", "contacts", "drags"), sizes):
        frame[name] = struct.unpack_from(f"<{size}f", data, at)
        at += 4 * size
    return frame


class Viewer:
    """A client that reads everything, like the page."""

    def __init__(self, view, **more):
        self.link = connect(view.stream, origin=more.pop("origin", view.origin), proxy=None, max_size=None,
                            compression=None, close_timeout=1, **more)
        self.socket = self.link.__enter__()
        self.hello, self.frame, self.frames, self.settings, self.notes = None, None, 0, None, []
        self.wait(lambda: self.hello and self.settings)

    def take(self, timeout=5):
        data = self.socket.recv(timeout=timeout)
        if isinstance(data, bytes):
            self.frame, self.frames = read_frame(data), self.frames + 1
            self.socket.send('{"do":"seen"}')
            return
        message = json.loads(data)
        if message["type"] == "hello":
            self.hello = message
        if message["type"] == "settings":
            self.settings = message
        if message["type"] in ("note", "error"):
            self.notes.append(message)

    def wait(self, holds, timeout=10):
        """Takes what comes until it holds; what it returned is returned."""
        end = time.monotonic() + timeout
        while True:
            found = holds()
            if found:
                return found
            assert time.monotonic() < end, (self.settings, self.frame, self.notes)
            try:
                self.take(timeout=max(0.01, end - time.monotonic()))
            except TimeoutError:
                pass

    def send(self, do, **more):
        self.socket.send(json.dumps({"do": do, **more}))

    def error(self, do, **more):
        """What is said against an order."""
        self.notes.clear()
        self.send(do, **more)
        return self.wait(lambda: next((n["text"] for n in self.notes if n["type"] == "error"), None))

    def next(self, holds=lambda f: True, timeout=10):
        """The next frame for which it holds."""
        before = self.frames
        self.wait(lambda: self.frames > before and holds(self.frame), timeout)
        return self.frame

    def pause(self, on=True):
        self.send("pause", on=on)
        self.wait(lambda: self.settings and self.settings["paused"] == on)
        if on:
            self.next(lambda f: f["paused"])

    def close(self):
        self.link.__exit__(None, None, None)

    __enter__ = lambda self: self

    def __exit__(self, *_):
        self.close()


class View:
    def __init__(self, *args, **more):
        self.process = start("view", *args, "--json", **more)
        line = self.process.stdout.readline()
        assert line, self.process.communicate()
        self.address = json.loads(line)["address"]
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port, self.query = parts.netloc, parts.port, parts.query
        self.origin = f"http://{parts.netloc}"
        self.stream = f"ws://{parts.netloc}/stream?{parts.query}"

    def viewer(self, **more):
        return Viewer(self, **more)

    def ask(self, target=None, method="GET", **headers):
        """A plain request; Host is that of the address if none is given."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        link.putrequest(method, target if target is not None else f"/?{self.query}", skip_host=True)
        for name, value in {"Host": self.host, **headers}.items():
            if value is not None:
                link.putheader(name, value)
        link.endheaders()
        answer = link.getresponse()
        answer.text = answer.read().decode()
        link.close()
        return answer

    def raw(self, shake=True, timeout=5):
        """A socket; after the handshake, if asked for."""
        s = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        if shake:
            s.sendall(self.handshake())
            answer = s.recv(12)
            assert answer == b"HTTP/1.1 101", answer
        return s

    def handshake(self):
        lines = [f"GET /stream?{self.query} HTTP/1.1", f"Host: {self.host}", f"Origin: {self.origin}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", ""]
        return "\r\n".join(lines).encode()

    def memory(self):
        """[MB] resident."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self, signal):
        self.process.send_signal(signal)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    __enter__ = lambda self: self

    def __exit__(self, *_):
        self.close()


def make_ws_frame(payload, opcode=1, fin=True, masked=True, length=None, reserved=0):
    """Any frame, right or wrong."""
    length = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | (reserved << 4) | opcode])
    mask_bit = 0x80 if masked else 0
    if length < 126:
        head += bytes([mask_bit | length])
    elif length < 65536:
        head += bytes([mask_bit | 126]) + struct.pack(">H", length)
    else:
        head += bytes([mask_bit | 127]) + struct.pack(">Q", length)
    if not masked:
        return head + payload
    key = b"\x11\x22\x33\x44"
    return head + key + bytes(b ^ key[i % 4] for i, b in enumerate(payload))


SEEDS = [
    '{"do": "pause", "on": true}', '{"do": "step", "count": 1}', '{"do": "speed", "factor": 1}', '{"do": "release"}',
    '{"do": "drag", "body": 1, "point": [0, 0, 0], "target": [0.1, 0, 0.2]}', '{"do": "control", "actuator": 0, "value": 0.5}',
    '{"do": "position", "joint": 0, "value": 0.1}', '{"do": "gravity", "value": [0, 0, -9.81]}',
    '{"do": "formulation", "name": "mc"}', '[]', '{}', '""', 'null', '{"do": 1}', '{"do": "drag", "body": 1e308}',
]
WORDS = ["NaN", "Infinity", "-1", "1e999", "null", "{}", "[", "]", "\\u0000", "\\ud800", '"', "true", "9" * 300, "/etc/passwd", "\x00"]


def mutate(rng):
    """A message that is nearly right, or not at all."""
    if rng.random() < 0.1:
        return "".join(chr(rng.randrange(1, 0x2000)) for _ in range(rng.randrange(200)))
    text = list(rng.choice(SEEDS))
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            text[at:at] = rng.choice(WORDS)
        elif kind == 1:
            del text[at:at + rng.randrange(1, 8)]
        elif kind == 2 and text:
            text[rng.randrange(len(text))] = chr(rng.randrange(32, 127))
        else:
            text[at:at] = text[:rng.randrange(len(text) + 1)]
    return "".join(text)


def make_random(seed):
    return random.Random(seed)
