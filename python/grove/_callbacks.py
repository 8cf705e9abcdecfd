"""Functions of Python that Grove calls while it steps, and what ends the steps from outside."""

from __future__ import annotations

import atexit
import signal
import threading

import numpy as np

from . import _library as lib
from .units import in_code_units


class Callback:
    """A Python function as a C function: exceptions end the steps, and are raised by the call that made them."""

    def __init__(self, function):
        self.failure = None

        def guarded(*_):
            try:
                return 1 if function() else 0
            except BaseException as failure:  # noqa: BLE001 - all of them
                self.failure = failure
                return 1

        self.c_function = lib.CALLBACK(guarded)

    def raise_failure(self):
        if self.failure is not None:
            raise self.failure


class External:
    """A Python function as an external field of C: what it raises is kept for the call that needed it."""

    def __init__(self, function, units):
        self.failure = None

        def guarded(_, time, count, *pointers):
            position, acceleration, potential = (np.ctypeslib.as_array(p, shape) for p, shape in zip(pointers, ((count, 3), (count, 3), (count,))))
            try:
                found = function(position.copy(), time)
                if not isinstance(found, tuple) or len(found) != 2:
                    raise TypeError("an external field returns (acceleration, potential)")
                for name, values, to in zip(("acceleration", "potential"), found, (acceleration, potential)):
                    values = np.asarray(in_code_units(values, name, units))
                    if values.shape != to.shape:
                        raise lib.SettingError(f"the {name} of an external field has the shape {values.shape}, and needs {to.shape}")
                    to[...] = values
            except BaseException as failure:  # noqa: BLE001 - all of them
                self.failure = failure
                return 1
            return 0

        self.c_function = lib.EXTERNAL(guarded)


class Exit:
    """The end of the interpreter waits for the steps of daemon threads, and ends them: their callbacks would find no Python."""

    def __init__(self):
        self.has_come = False
        self._running, self._changed = 0, threading.Condition()
        atexit.register(self._wait)

    def __enter__(self):
        with self._changed:
            if self.has_come:
                raise lib.SettingError("there are no steps any more: the interpreter ends")
            self._running += 1

    def __exit__(self, *_):
        with self._changed:
            self._running -= 1
            self._changed.notify()

    def _wait(self):
        with self._changed:
            self.has_come = True
            self._changed.wait_for(lambda: self._running == 0)


EXIT = Exit()


class CtrlC:
    """Ctrl-C ends the steps of this thread, and is raised after them. C code cannot be left by an exception: Python's handler is
    another one as long as it lasts. A handler of the user's own stays."""

    def __init__(self):
        self.has_come = False
        # Called after each step, so that Python runs handlers of signals.
        self.c_function = lib.INTERRUPT(lambda _: int(self.has_come or EXIT.has_come))

    def __enter__(self):
        self.replaced = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self.replaced:
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, *_):
        self.has_come = True

    def __exit__(self, *_):
        if self.replaced:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self.has_come:
            raise KeyboardInterrupt
