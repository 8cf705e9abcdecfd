"""How far the steps of a simulation are."""

from __future__ import annotations

import contextlib
import sys
import time as clock

from .units import is_physical, megayear


class Progress:
    """A line on standard error, twice a second; in Jupyter a bar of tqdm, where that is installed."""

    def __init__(self, sim, until):
        self.sim, self.first, self.until, self.shown, self.began = sim, sim.time, until, 0.0, clock.monotonic()
        self.unit, self.name = (megayear(sim.units), " Myr") if is_physical(sim.units) else (1, "")
        self.bar = None
        if "ipykernel" in sys.modules:
            with contextlib.suppress(ImportError):
                from tqdm.auto import tqdm

                self.bar = tqdm(total=until - self.first, bar_format="{l_bar}{bar}| {remaining} left{postfix}")

    def show(self):
        now = clock.monotonic()
        if now - self.shown < 0.5:
            return
        self.shown = now
        if self.bar is not None:
            return self.show_bar()
        self.show_line()

    def times(self):
        return f"t = {self.sim.time / self.unit:.6g} of {self.until / self.unit:.6g}{self.name}"

    def show_line(self):
        part = (self.sim.time - self.first) / (self.until - self.first)
        left = (clock.monotonic() - self.began) * (1 - part) / part if part > 0 else float("inf")
        sys.stderr.write(f"\r{self.times()} ({100 * part:3.0f} %), {left:.0f} s left   ")
        sys.stderr.flush()

    def show_bar(self):
        self.bar.n = self.sim.time - self.first
        self.bar.set_postfix_str(self.times())

    def end(self):
        if self.bar is not None:
            self.show_bar()
            self.bar.close()
        elif self.shown:
            self.show_line()
            sys.stderr.write("\n")
