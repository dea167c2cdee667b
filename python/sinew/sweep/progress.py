"""How far a sweep is: a bar on a terminal, a line now and then elsewhere."""
from __future__ import annotations

import sys
import threading
import time
from typing import TextIO


def _clock(seconds: float) -> str:
    s = round(seconds)
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60}:{s % 60:02d}"


class Progress:
    """Counts finished samples; threads may add. quiet: says nothing."""

    def __init__(self, total: int, done_before: int = 0, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.total, self.done, self.failed, self.deaths = total, done_before, 0, 0
        self._before, self._quiet = done_before, quiet
        self._stream = stream if stream is not None else sys.stderr
        self._terminal = self._stream.isatty()
        self._start = self._said = time.monotonic()
        self._lock = threading.Lock()
        self._under_way = 0
        self._tenth = 0

    def add(self, done: int, failed: int = 0) -> None:
        with self._lock:
            self.done += done
            self.failed += failed
        self.show()

    def under_way(self, samples: int) -> None:
        """Finished, but not written yet."""
        self._under_way = samples
        self.show()

    def text(self) -> str:
        with self._lock:
            done = min(self.done + self._under_way, self.total)
            seconds = time.monotonic() - self._start
            here = done - self._before
            share = done / self.total if self.total else 1.0
            parts = [f"{done}/{self.total}", f"{100 * share:.0f} %"]
            if here > 0 and seconds > 0:
                rate = here / seconds
                parts += [f"{rate:.3g}/s", f"{_clock((self.total - done) / rate)} left"]
            if self.failed:
                parts.append(f"{self.failed} failed")
            if self.deaths:
                parts.append(f"{self.deaths} workers lost")
            return "  ".join(parts)

    def show(self, last: bool = False) -> None:
        if self._quiet:
            return
        now = time.monotonic()
        if self._terminal:
            if now - self._said < 0.1 and not last:
                return
            share = min(self.done + self._under_way, self.total) / max(self.total, 1)
            bar = "#" * round(24 * share)
            self._stream.write(f"\r\033[K[{bar:<24}] {self.text()}" + ("\n" if last else ""))
        else:
            tenth = 10 * self.done // max(self.total, 1)
            wait = 2 if tenth > self._tenth else 30
            if now - self._said < wait and not last:
                return
            self._tenth = tenth
            self._stream.write(f"sweep: {self.text()}\n")
        self._said = now
        self._stream.flush()

    def say(self, text: str) -> None:
        """A line of its own."""
        if not self._quiet:
            self._stream.write(("\r\033[K" if self._terminal else "") + f"sweep: {text}\n")
            self._stream.flush()
