# What the tests of the live view share: the server, a run beside it, pictures of their own, and a list of tests.
import contextlib
import http.client
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zlib

grove = os.path.abspath(sys.argv[1])

# Small enough for seconds, with two components.
configuration = """
[initial_conditions]
generator = "disc"
n = {n}
[gravity]
softening = 0.05
[time]
end = {end}
dt = {dt}
steps = "{steps}"
[run]
device = "cpu"
[output]
directory = "{directory}"
snapshot_every = {every}
{more}
"""
# The same with physical units: a disc of 1 kpc.
physical = {"end": '"1 Myr"', "dt": '"0.1 Myr"', "every": '"0.5 Myr"', "more": '[units]\nsystem = "kpc, km/s, 1e10 Msun"'}


class Server:
    """`grove view` of directories, with a port of its own."""

    def __init__(self, *directories):
        self.process = subprocess.Popen([grove, "view", *directories, "--port", "0"], stdout=subprocess.PIPE, text=True)
        self.words = "".join(self.process.stdout.readline() for _ in range(3 + len(directories)))
        self.url = re.search(r"http://localhost:\d+/\w+/", self.words).group()
        self.port, self.path = int(self.url.split(":")[2].split("/")[0]), "/" + self.url.split("/")[3] + "/"

    def ask(self, path, method="GET", headers=None, whole_path=False, host=None):
        """Status, headers and body; the path is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path if whole_path else self.path + path, skip_host=True)
        if host != "":
            connection.putheader("Host", host or f"localhost:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def json(self, path):
        status, _, body = self.ask(path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def sample(self, name):
        """Header, positions and types of a snapshot's sample."""
        status, _, body = self.ask("api/sample/" + name)
        assert status == 200, (name, status, body)
        (length,) = struct.unpack_from("<I", body)
        header = json.loads(body[4 : 4 + length])
        shown = header["shown"]
        positions = struct.unpack_from(f"<{3 * shown}f", body, 4 + length)
        assert len(body) == 4 + length + 13 * shown, "the length of a sample"
        return header, positions, body[-shown:]

    def end(self, with_signal=signal.SIGTERM):
        self.process.send_signal(with_signal)
        return self.process.wait(timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def start_run(directory, n=300, end=0.2, steps="shared", dt=0.02, every=0.1, more=""):
    with open(directory + ".toml", "w") as file:
        file.write(configuration.format(n=n, end=end, steps=steps, directory=directory, dt=dt, every=every, more=more))
    return subprocess.Popen([grove, "run", directory + ".toml", "--quiet"])


def finished_run(directory, **settings):
    assert start_run(directory, **settings).wait(timeout=120) == 0
    return directory


@contextlib.contextmanager
def run_under_way(directory, **settings):
    """A run that goes on while the block is carried out; stopped then."""
    run = start_run(directory, **settings)
    try:
        yield run
    finally:
        run.kill()
        run.wait()


def write_picture(path, colour, side=64):
    """A PNG of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(colour) * side) * side
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def cut(path, share):
    """Leaves the first part of a file."""
    os.truncate(path, int(os.path.getsize(path) * share))


def until(what, holds, limit_s=40):
    """Waits until something holds, and returns it."""
    end = time.monotonic() + limit_s
    while not (found := holds()):
        assert time.monotonic() < end, f"not within {limit_s} s: {what}"
        time.sleep(0.05)
    return found


def run_tests(tests):
    """Each in an empty directory of its own; returns the exit code."""
    failed = 0
    for test in tests:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            try:
                test()
                print(f"ok   {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:
                failed = 1
                print(f"FAIL {test.__name__}\n{traceback.format_exc()}", flush=True)
            os.chdir("/")
    return failed
