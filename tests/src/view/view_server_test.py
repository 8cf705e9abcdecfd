# The server of the live view: what it answers, and what it refuses. Usage: view_server_test.py GROVE MPIRUN [FLAG...]
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from view_support import Server, cut, finished_run, grove, physical, run_tests, run_under_way, until, write_picture

damaged = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../data/damaged"))

shared = {}


def run_with_pictures():
    """A copy of a finished run, with three pictures."""
    if "run" not in shared:
        shared["run"] = os.path.join(shared_directory, "shared_output")
        finished_run(shared["run"])
    shutil.copytree(shared["run"], "output")
    for name in ("density_z_0000", "density_z_0001", "speed_x_0000"):
        write_picture(f"output/picture_{name}.png", (200, 100, 50))
    return "output"


def says(answer, status, words):
    assert answer[0] == status and words in answer[2].decode(), f"{answer[0]} {answer[2][:300]}, not {status} '{words}'"


def the_page_and_its_scripts_come_from_the_server_alone():
    with Server(run_with_pictures()) as server:
        status, headers, page = server.ask("")
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in headers["Content-Security-Policy"] and headers["Cache-Control"] == "no-store"
        parts = re.findall(rb'(?:src|href)="([^"]+)"', page)
        assert len(parts) >= 5, parts
        for part in parts:
            if part == b"data:,":
                continue
            status, _, text = server.ask(part.decode())
            assert status == 200 and len(text) > 500, part
            assert b"http://" not in text and b"https://" not in text, part


def what_is_printed_names_address_tunnel_and_directory():
    with Server(run_with_pictures()) as server:
        assert os.path.abspath("output") in server.words
        assert f"ssh -N -L {server.port}:127.0.0.1:{server.port} " in server.words


def state_has_files_and_figures_of_a_finished_run():
    with Server(run_with_pictures()) as server:
        state = server.json("api/state")
        assert (state["state"], state["step"], state["steps"], state["time"], state["end"]) == ("finished", 10, 10, 0.2, 0.2), state
        assert [s["name"] for s in state["snapshots"]] == [f"snapshot_000{i}.hdf5" for i in range(3)]
        assert [(p["quantity"], p["axis"], p["number"]) for p in state["pictures"]] == [("speed", "x", 0), ("density", "z", 0), ("density", "z", 1)]
        assert state["logs"] == ["energy.csv", "timings.csv"] and state["notes"] == []
        n_body = {"name": "N-body units", "per_code_unit": 1}
        assert state["units"] == {"time": n_body, "energy": n_body, "lengths": [n_body]}, state["units"]


def units_of_a_run_have_names():
    with Server(finished_run("galaxy", **physical)) as server:
        units = server.json("api/state")["units"]
        is_near = lambda unit, name, factor: unit["name"] == name and abs(unit["per_code_unit"] / factor - 1) < 1e-3
        assert is_near(units["time"], "Myr", 977.8) and is_near(units["energy"], "Msun (km/s)^2", 1e10), units
        factors = (("Mpc", 1e-3), ("kpc", 1), ("pc", 1e3), ("AU", 206264806), ("km", 3.0857e16))
        assert all(is_near(unit, *wanted) for unit, wanted in zip(units["lengths"], factors, strict=True)), units["lengths"]


def several_runs_are_told_apart():
    os.makedirs("a")
    shutil.move(run_with_pictures(), "a/output")
    finished_run("b", n=200)
    with Server("a/output", "b", "c") as server:
        assert [line.split("/")[-1].strip() for line in server.words.splitlines()[:2]] == ["output", "b"] and "not there yet" in server.words, server.words
        assert server.json("api/runs") == {"runs": ["a/output", "b", "c"]}
        states = [server.json(f"api/state?run={k}") for k in range(3)]
        assert [state["state"] for state in states] == ["finished", "finished", "waiting"] and server.json("api/state") == states[0]
        assert server.sample("snapshot_0001.hdf5?run=1")[0]["particles"] == 200 and server.sample("snapshot_0001.hdf5")[0]["particles"] == 300
        assert server.ask("api/picture/picture_speed_x_0000.png?run=0")[0] == 200
        says(server.ask("api/picture/picture_speed_x_0000.png?run=1"), 404, "is not there")
        assert server.json("api/log/energy?run=1")["rows"] != server.json("api/log/energy?run=0")["rows"]
        for wrong in ("3", "-1", "x", ""):
            says(server.ask("api/state?run=" + wrong), 400, "run = ")
    with Server("b") as server:
        assert server.json("api/runs") == {"runs": ["b"]}


def logs_come_row_by_row():
    with Server(run_with_pictures()) as server:
        part = server.json("api/log/energy")
        with open("output/energy.csv") as file:
            lines = [line.strip() for line in file if not line.startswith("#")]
        assert part["names"] == lines[0].split(",")
        assert part["rows"] == [[float(v) for v in line.split(",")] for line in lines[1:]]
        with open("output/energy.csv", "a") as file:
            file.write(",".join(["7"] * len(part["names"])) + "\n" + "8,")
        more = server.json("api/log/energy?after=" + part["cursor"])
        assert more["rows"] == [[7] * len(part["names"])] and not more["is_from_start"]
        os.remove("output/energy.csv")
        says(server.ask("api/log/energy"), 404, "energy.csv: is not there")
        says(server.ask("api/log/timings?rows=0"), 400, "whole number")
        says(server.ask("api/log/time_bins"), 404, "time_bins.csv: is not there")
        says(server.ask("api/log/used"), 404, "nothing")


def a_sample_is_that_of_its_snapshot():
    with Server(run_with_pictures()) as server:
        header, positions, types = server.sample("snapshot_0001.hdf5")
        assert header["particles"] == header["shown"] == 300 and abs(header["time"] - 0.1) < 1e-12
        assert sum(c["particles"] for c in header["components"]) == 300
        for component in header["components"]:
            assert types.count(component["type"]) == component["particles"], component
        assert max(abs(x) for x in positions) > 0.1
        assert server.sample("snapshot_0001.hdf5") == (header, positions, types)
        assert server.sample("snapshot_0002.hdf5")[1] != positions


def profile_of(*arguments):
    """The first row that `grove profile` makes of one snapshot: its groups."""
    answer = subprocess.run([grove, "profile", *arguments, "--json"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)["snapshots"][0]["groups"]


def a_rotation_curve_is_that_of_grove_profile():
    for directory, settings, speed_unit, length_unit in ((run_with_pictures(), None, "N-body units", "N-body units"), ("galaxy", physical, "km/s", "kpc")):
        if settings:
            finished_run(directory, **settings)
        with Server(directory) as server:
            curve = server.json("api/rotation/snapshot_0001.hdf5")
            assert (curve["snapshot"], curve["particles"], curve["shown"], curve["missing"], curve["external"]) == ("snapshot_0001.hdf5", 300, 300, [], False), curve
            assert (curve["speed_unit"], curve["length_unit"]) == (speed_unit, length_unit), curve
            groups = profile_of(f"{directory}/snapshot_0001.hdf5")
            assert [(c["name"], c.get("type", -1)) for c in curve["curves"]] == [(g["name"], g["type"]) for g in groups], curve["curves"]
            is_near = lambda a, b: len(a) == len(b) and all(abs(x - y) <= 1e-4 * abs(y) for x, y in zip(a, b))
            assert is_near(curve["radius"], groups[0]["profile"]["radius_outer"]), curve["radius"]
            for one, group in zip(curve["curves"], groups):
                assert is_near(one["speed"], group["profile"]["circular_velocity"]), (one, group["profile"]["circular_velocity"])


def a_rotation_curve_counts_external_potentials_and_needs_the_configuration():
    finished_run("outer", more='[external]\npotential = "point"\nmass = 100\n')
    with Server("outer") as server:
        curve = server.json("api/rotation/snapshot_0000.hdf5")
        assert curve["external"] and curve["curves"][0]["speed"][-1] > 2 * curve["curves"][1]["speed"][-1], curve
        says(server.ask("api/rotation/energy.csv"), 404, "not the name of a snapshot")
        says(server.ask("api/rotation/snapshot_0009.hdf5"), 404, "is not there")
        os.remove("outer/used_parameters.toml")
        says(server.ask("api/rotation/snapshot_0000.hdf5"), 404, "used_parameters.toml")
        cut("outer/snapshot_0000.hdf5", 0.5)
        says(server.ask("api/rotation/snapshot_0000.hdf5"), 422, "snapshot_0000.hdf5")


def pictures_and_samples_are_sent_once():
    with Server(run_with_pictures()) as server:
        for path, kind in (("api/picture/picture_density_z_0000.png", "image/png"), ("api/sample/snapshot_0000.hdf5", "application/octet-stream")):
            status, headers, body = server.ask(path)
            assert status == 200 and headers["Content-Type"] == kind and "no-cache" in headers["Cache-Control"]
            again = server.ask(path, headers={"If-None-Match": headers["ETag"]})
            assert again[0] == 304 and again[2] == b"", again
        with open("output/picture_density_z_0000.png", "rb") as file:
            assert server.ask("api/picture/picture_density_z_0000.png")[2] == file.read()
        _, headers, _ = server.ask("api/picture/picture_density_z_0000.png")
        write_picture("output/picture_density_z_0000.png", (1, 2, 3), side=80)
        assert server.ask("api/picture/picture_density_z_0000.png", headers={"If-None-Match": headers["ETag"]})[0] == 200
        assert server.ask("api/state")[1]["Cache-Control"] == "no-store"


def nothing_outside_of_the_directory_is_served():
    directory = run_with_pictures()
    write_picture("picture_secret_z_0000.png", (0, 0, 0))
    with Server(directory) as server:
        for way in ("../picture_secret_z_0000.png", "..%2fpicture_secret_z_0000.png", "%2e%2e%2fpicture_secret_z_0000.png", "%2e%2e/picture_secret_z_0000.png",
                    "%252e%252e%252fpicture_secret_z_0000.png", os.path.abspath("picture_secret_z_0000.png"), "%2f" + os.path.abspath("picture_secret_z_0000.png"),
                    "../../../../../../etc/passwd", "/etc/passwd", "..%5cpicture_secret_z_0000.png", "picture_density_z_0000.png%00", "picture_density_z_0000.png/.."):
            for kind in ("picture", "sample", "log"):
                status = server.ask(f"api/{kind}/{way}")[0]
                assert status in (400, 403, 404), (kind, way, status)
        for path in ("/../../etc/passwd", "/etc/passwd", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "http://localhost/etc/passwd"):
            assert server.ask(path, whole_path=True)[0] in (400, 403, 404), path
        for path in ("api/picture/energy.csv", "api/picture/used_parameters.toml", "api/sample/checkpoint_0.hdf5", "api/picture/", "output/", "api/"):
            assert server.ask(path)[0] == 404, path


def links_are_not_followed():
    directory = run_with_pictures()
    for name in ("picture_density_z_0001.png", "snapshot_0001.hdf5", "energy.csv"):
        os.rename(f"{directory}/{name}", name)
        os.symlink(os.path.abspath(name), f"{directory}/{name}")
    os.mkfifo(f"{directory}/picture_pipe_z_0000.png")
    os.mkdir(f"{directory}/snapshot_0009.hdf5")
    with Server(directory) as server:
        for path in ("picture/picture_density_z_0001.png", "sample/snapshot_0001.hdf5", "log/energy"):
            says(server.ask("api/" + path), 403, "is a link")
        for path in ("picture/picture_pipe_z_0000.png", "sample/snapshot_0009.hdf5"):
            says(server.ask("api/" + path), 403, "is not a regular file")
        state = server.json("api/state")
        assert "snapshot_0001.hdf5" not in [s["name"] for s in state["snapshots"]] and state["logs"] == ["timings.csv"]


def requests_to_other_hosts_and_without_the_key_are_refused():
    with Server(run_with_pictures()) as server:
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:65535", "[::1]:80"):
            assert server.ask("api/state", host=host)[0] == 200, host
        for host in ("", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", "localhost:8080@evil.example", "10.0.0.1", "localhost:"):
            says(server.ask("api/state", host=host), 403, "only requests to localhost")
        says(server.ask("api/state", headers={"Host": "evil.example"}), 403, "only requests to localhost")
        for path in ("/", "/api/state", "/" + "0" * 32 + "/", server.path.upper()):
            says(server.ask(path, whole_path=True), 403, "the whole address")


def other_methods_are_refused_and_change_nothing():
    with Server(run_with_pictures()) as server:
        before = sorted((name, os.stat("output/" + name).st_mtime_ns) for name in os.listdir("output"))
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"):
            status, headers, _ = server.ask("api/picture/picture_density_z_0000.png", method=method)
            assert status in (400, 405), (method, status)
            assert status == 400 or headers["Allow"] == "GET, HEAD"
        status, headers, body = server.ask("api/picture/picture_density_z_0000.png", method="HEAD")
        assert status == 200 and int(headers["Content-Length"]) > 0 and body == b""
        for path in ("api/sample/snapshot_0000.hdf5", "api/log/energy", "api/state"):
            server.ask(path)
        assert before == sorted((name, os.stat("output/" + name).st_mtime_ns) for name in os.listdir("output"))


def a_damaged_snapshot_is_named_and_the_others_are_served():
    cut(run_with_pictures() + "/snapshot_0002.hdf5", 0.7)
    os.truncate("output/picture_density_z_0001.png", 300 << 20)  # a hole, which takes no room
    with open("output/snapshot_0003.hdf5", "w") as file:
        file.write("nonsense")
    with Server("output") as server:
        answer = server.ask("api/sample/snapshot_0002.hdf5")
        says(answer, 422, "snapshot_0002.hdf5")
        assert answer[1].get_all("Cache-Control") == ["no-store"] and answer[1]["ETag"] is None, answer[1]
        says(server.ask("api/sample/snapshot_0003.hdf5"), 422, "snapshot_0003.hdf5")
        says(server.ask("api/picture/picture_density_z_0001.png"), 403, "256 MiB")
        assert server.sample("snapshot_0001.hdf5")[0]["shown"] == 300


def a_snapshot_that_hdf5_does_not_survive_is_named_and_the_server_goes_on():
    run_with_pictures()
    for number, name in ((3, "crashes_library"), (4, "endless_heap")):
        shutil.copy(f"{damaged}/{name}.hdf5", f"output/snapshot_000{number}.hdf5")
    with Server("output") as server:
        says(server.ask("api/sample/snapshot_0003.hdf5"), 422, "snapshot_0003.hdf5: HDF5 crashed while it read the file")
        says(server.ask("api/sample/snapshot_0004.hdf5"), 422, "snapshot_0004.hdf5: HDF5 does not come to an end")
        assert server.sample("snapshot_0002.hdf5")[0]["shown"] == 300


def an_end_does_not_wait_for_a_sample_that_never_comes():
    run_with_pictures()
    shutil.copy(f"{damaged}/endless_heap.hdf5", "output/snapshot_0004.hdf5")
    with Server("output") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("GET", server.path + "api/sample/snapshot_0004.hdf5")
        time.sleep(0.5)
        began = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        server.process.wait(timeout=20)
        assert time.monotonic() - began < 6, time.monotonic() - began


def damaged_logs_and_settings_are_named():
    run_with_pictures()
    with open("output/used_parameters.toml", "w") as file:
        file.write("[time\nend = ")
    with open("output/energy.csv", "wb") as file:
        file.write(os.urandom(100000).replace(b"\n", b" "))
    with Server("output") as server:
        notes = " ".join(server.json("api/state")["notes"])
        assert "used_parameters.toml" in notes and "energy.csv" in notes, notes
        says(server.ask("api/log/energy"), 422, "energy.csv")


def a_directory_may_come_and_go():
    with Server("output") as server:
        assert "not there yet" in server.words
        state = server.json("api/state")
        assert not state["is_there"] and state["state"] == "waiting" and state["snapshots"] == []
        says(server.ask("api/sample/snapshot_0000.hdf5"), 404, "is not there")
        os.mkdir("output")
        state = server.json("api/state")
        assert state["is_there"] and state["state"] == "waiting" and "nothing of a run" in state["words"]
        os.rmdir("output")
        run_with_pictures()
        assert server.sample("snapshot_0000.hdf5")[0]["shown"] == 300
        os.rename("output", "output.1")
        says(server.ask("api/sample/snapshot_0000.hdf5"), 404, "is not there")
        assert server.json("api/state")["state"] == "waiting"


def a_run_is_seen_while_it_goes_on_and_when_it_has_been_killed():
    with Server("output") as server:
        with run_under_way("output", n=2000, end=1000) as run:
            until("the run is seen", lambda: server.json("api/state")["state"] == "running")
            first = until("steps", lambda: server.json("api/state").get("step"))
            until("more steps", lambda: server.json("api/state")["step"] > first)
            assert "the run is at work" in server.json("api/state")["words"]
        until("it counts as stopped", lambda: server.json("api/state")["state"] == "stopped")


def two_viewers_at_once_get_the_same():
    with Server(run_with_pictures()) as server:
        found, threads = [], []
        for _ in range(12):
            for path in ("api/state", "api/sample/snapshot_0000.hdf5", "api/sample/snapshot_0001.hdf5", "api/log/energy"):
                threads.append(threading.Thread(target=lambda p=path: found.append((p, server.ask(p)[0::2]))))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 48 and len(set(found)) == 4 and all(answer[0] == 200 for _, answer in found)


def it_ends_with_a_signal_also_while_a_browser_is_connected():
    for kind in (signal.SIGINT, signal.SIGTERM):
        with Server("output") as server, socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(f"GET {server.path}api/state HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert connection.recv(4) == b"HTTP"
            began = time.monotonic()
            assert server.end(kind) == 0
            assert time.monotonic() - began < 5


def slow_connections_neither_delay_the_page_nor_the_end():
    with Server("output") as server:
        slow, over = [], threading.Event()

        def drip():
            while not over.wait(0.3):
                for one in list(slow):
                    with contextlib.suppress(OSError):
                        one.send(b"G")

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            for _ in range(60):
                slow.append(socket.create_connection(("127.0.0.1", server.port)))
            began = time.monotonic()
            assert server.ask("api/state")[0] == 200
            assert time.monotonic() - began < 6
            began = time.monotonic()
            assert server.end(signal.SIGINT) == 0
            assert time.monotonic() - began < 6
        finally:
            over.set()
            dripping.join()
            for one in slow:
                one.close()


def mistakes_are_told_in_words():
    def fails(words, *command):
        result = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert result.returncode == 2 and words in result.stderr and result.stderr.count("error:") == 1, (command, result)

    open("file", "w").close()
    with Server("output") as server:
        fails(f"--port {server.port}: cannot be taken", grove, "view", "output", "--port", str(server.port))
    fails("whole number", grove, "view", "output", "--port", "70000")
    fails("file: is no directory", grove, "view", "file")
    fails("OUTPUT_DIR is required", grove, "view")
    os.makedirs("others/texts")
    open("others/texts/notes.txt", "w").close()
    fails("others/texts: is not the output directory of a run", grove, "view", "others/texts")
    shutil.move(run_with_pictures(), "others/galaxy")
    fails("others: is not the output directory of a run: it has none of used_parameters.toml, energy.csv, snapshots and pictures; in it are the runs galaxy", grove, "view", "others")
    fails("others/galaxy/: is named twice", grove, "view", "others/galaxy", "others/galaxy/")
    fails("at most 8 runs", grove, "view", *(str(k) for k in range(9)))
    if len(sys.argv) > 2:
        fails("start it without mpirun", sys.argv[2], "-n", "2", *sys.argv[3:], grove, "view", "output")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as shared_directory:
        sys.exit(run_tests([test for name, test in list(globals().items()) if callable(test) and getattr(test, "__module__", "") == "__main__"
                            and name not in ("run_with_pictures", "says", "profile_of")]))
