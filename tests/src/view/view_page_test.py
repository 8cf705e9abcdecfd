# The page of the live view in a real browser (headless Chromium). Usage: view_page_test.py GROVE. Exits with 77 where there is no browser.
# GROVE_KEEP_PICTURES=DIRECTORY keeps a picture of the page at the end of each test.
import base64
import json
import os
import shutil
import sys

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("python3-selenium is not installed: skipped")
    sys.exit(77)

from view_support import Server, cut, finished_run, physical, run_tests, run_under_way, until, write_picture

chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
driver = shutil.which("chromedriver") or shutil.which("/usr/lib/chromium-browser/chromedriver")
pictures = os.environ.get("GROVE_KEEP_PICTURES")


class Page:
    """The page of a server in a tab of its own."""

    def __init__(self, browser, server, width=1280, height=1100):
        self.browser = browser
        browser.switch_to.new_window("tab")
        self.tab = browser.current_window_handle
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        browser.get_log("browser")
        browser.get(server.url)
        # Asks more often than for people.
        browser.execute_script("for (const state in interval) interval[state] = 250; clearTimeout(timer); if (timer) loop();")

    def go(self):
        self.browser.switch_to.window(self.tab)
        return self

    def script(self, text, *arguments):
        return self.go().browser.execute_script(text, *arguments)

    def find(self, name):
        return self.go().browser.find_element(By.ID, name)

    def text(self, name):
        return self.script("return document.getElementById(arguments[0]).textContent", name)

    def number(self, name, what):
        return int(self.script("return document.getElementById(arguments[0]).dataset[arguments[1]] || 0", name, what))

    def bright_parts(self):
        """Of the canvas with the particles: the share of pixels that are not background, by thirds from left to right."""
        return self.script("""
            const from = document.getElementById("cloud"), to = document.createElement("canvas"), pen = to.getContext("2d");
            [to.width, to.height] = [from.width, from.height];
            pen.drawImage(from, 0, 0);
            const pixels = pen.getImageData(0, 0, to.width, to.height).data, found = [0, 0, 0];
            for (let i = 0; i < pixels.length; i += 4)
              if (pixels[i] + pixels[i + 1] + pixels[i + 2] > 120) ++found[Math.floor(((i / 4) % to.width) * 3 / to.width)];
            return found.map((n) => n / (to.width * to.height / 3));""")

    def inked(self, name):
        """The number of pixels of a chart that something was drawn on."""
        return self.script("""
            const chart = document.getElementById(arguments[0]);
            return chart.getContext("2d").getImageData(0, 0, chart.width, chart.height).data.filter((v, i) => i % 4 === 3 && v > 0).length;""", name)

    def errors(self):
        """What the browser complains of; answers such as 422 are told on the page."""
        return [entry for entry in self.go().browser.get_log("browser") if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]

    def done(self, name):
        """To be called at the end of a test."""
        if pictures:
            with open(os.path.join(pictures, name + ".png"), "wb") as file:
                file.write(base64.b64decode(self.go().browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})["data"]))
        errors = self.errors()
        assert errors == [], errors[:3]
        wider = self.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, f"the page is {wider} pixels wider than the window"


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


def copy_of_run():
    shutil.copytree(os.path.join(shared_directory, "shared_output"), "output")
    for number in range(3):
        write_picture(f"output/picture_density_z_{number:04}.png", (40 * number + 40, 80, 120))
    write_picture("output/picture_speed_x_0000.png", (200, 80, 20), side=30)
    return "output"


def a_finished_run_is_shown():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        until("the picture", lambda: page.script("const p = document.getElementById('picture'); return !p.hidden && p.complete && p.naturalWidth === 64"))
        assert page.text("state") == "finished" and "step 10 of 10, 100 %" in page.text("progress-text"), page.text("progress-text")
        assert page.number("error-chart", "points") == page.number("energy-chart", "points") == page.number("phase-chart", "points") == 11
        assert page.number("virial-chart", "points") == 11 and page.script("return document.getElementById('runs').hidden")
        for chart in ("error-chart", "energy-chart", "virial-chart", "phase-chart"):
            assert page.inked(chart) > 1500, (chart, page.inked(chart))
        until("points of light", lambda: max(page.bright_parts()) > 0.005)
        assert "halo: 1,000" in page.text("components") and "disc: 1,000" in page.text("components"), page.text("components")
        assert "2,000 of 2,000 particles of snapshot_0002.hdf5, t = 0.2" in page.text("cloud-text")
        assert page.text("virial-legend").startswith("virial ratio ") and page.text("energy-unit") == " in N-body units", page.text("virial-legend")
        assert "kinetic" in page.text("energy-legend") and "walk" in page.text("phase-legend")
        page.done("finished")


def rungs_are_shown_where_steps_are_divided():
    with Server(finished_run("block", steps="block")) as server:
        page = Page(browser, server)
        for chart in ("rung-particles", "rung-updates", "rung-time"):
            until("a chart", lambda: page.number(chart + "-chart", "points") == 10)
            assert page.inked(chart + "-chart") > 1500, chart
        assert page.text("rung-particles-legend").startswith("rung 0 "), page.text("rung-particles-legend")
        page.done("rungs")
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("a chart", lambda: page.number("phase-chart", "points") == 11)
        assert not page.find("rung-time-chart").is_displayed()


def units_have_their_names_and_the_cloud_a_scale():
    with Server(finished_run("galaxy", n=2000, **physical)) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        assert page.text("time") == "1 Myr" and page.text("time-unit") == "of 1 Myr", (page.text("time"), page.text("time-unit"))
        assert page.text("cloud-text").endswith("snapshot_0002.hdf5, t = 1 Myr"), page.text("cloud-text")
        assert page.text("energy-unit") == " in Msun (km/s)²" and page.text("energy-legend").endswith("time 1 Myr"), page.text("energy-legend")
        length = lambda: page.text("scale-text").split()
        until("the bar", lambda: len(length()) == 2)
        first, (number, unit) = page.script("return document.getElementById('scale-bar').clientWidth"), length()
        assert unit in ("kpc", "pc") and float(number) > 0 and 30 < first < 140, (first, number, unit)
        # A particle at the end of the bar is drawn there: one code unit, 1 kpc, in pixels.
        pixels = page.script("return cloud.zoom * cloud.scale * 0.4 * Math.min(cloud.canvas.clientWidth, cloud.canvas.clientHeight)")
        assert abs(first - float(number) * (1 if unit == "kpc" else 1e-3) * pixels) < 3, (first, number, unit, pixels)
        page.script("cloud.magnify(100)")
        until("another length", lambda: length() != [number, unit])
        page.done("units")


def the_rotation_curve_is_that_of_the_snapshot_that_is_shown():
    finished_run("galaxy", n=2000, **physical)
    with Server(copy_of_run(), "galaxy") as server:
        page = Page(browser, server)
        is_of = lambda name: page.text("rotation-text").startswith(name + ": ") and page.number("rotation-chart", "points") > 10
        until("the curve", lambda: is_of("snapshot_0002.hdf5"))
        assert page.inked("rotation-chart") > 1500 and page.text("rotation-text").endswith("from all 2,000 particles"), page.text("rotation-text")
        names = page.script("return [...document.querySelectorAll('#rotation-legend span')].map((entry) => entry.textContent.split(' ')[0])")
        assert names == ["all", "halo", "disc", "radius"], names
        last = page.text("rotation-legend")
        page.find("snapshot").send_keys("\ue012")
        until("that of the one before", lambda: is_of("snapshot_0001.hdf5") and page.text("rotation-legend") != last)
        page.go().browser.find_elements(By.CSS_SELECTOR, "#run-rows button")[1].click()
        until("that of the other run", lambda: page.text("rotation-unit") == " in km/s" and " kpc" in page.text("rotation-legend"))
        page.script("window.trueFetch = window.fetch; window.fetch = (path) => path.startsWith('api/rotation/') ? Promise.resolve(new Response('no memory', {status: 500})) : trueFetch(path);")
        page.find("snapshot").send_keys("\ue012")
        until("words", lambda: page.text("rotation-text") == "no memory" and page.number("rotation-chart", "points") == 0)
        page.done("rotation")


def the_scale_bar_is_as_long_as_what_is_drawn():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        until("the bar", lambda: page.text("scale-text"))
        # Two points in the plane of the screen, a length of the bar apart.
        page.script("""
            const [length] = document.getElementById("scale-text").textContent.split(" ").map(Number);
            cloud.turn = [1, 0, 0, 0, 1, 0, 0, 0, 1];
            window.fetch = () => new Promise(() => {});
            cloud.show({...cloud.sample, positions: new Float32Array([-length / 2, 0, 0, length / 2, 0, 0]), types: new Uint8Array([1, 1])});""")
        spread = lambda: page.script("""
            const from = document.getElementById("cloud"), to = document.createElement("canvas"), pen = to.getContext("2d");
            [to.width, to.height] = [from.width, from.height];
            pen.drawImage(from, 0, 0);
            const pixels = pen.getImageData(0, 0, to.width, to.height).data, at = [];
            for (let i = 0; i < pixels.length; i += 4)
              if (pixels[i] + pixels[i + 1] + pixels[i + 2] > 150) at.push((i / 4) % to.width);
            return [Math.min(...at), Math.max(...at), at.length];""")
        until("two points", lambda: 0 < spread()[2] < 600)
        low, high, _ = spread()
        bar = page.script("return document.getElementById('scale-bar').getBoundingClientRect().width")
        # Each point is some pixels wide.
        assert abs(high - low - bar) < 15, (low, high, bar)


def snapshots_and_pictures_are_played_to_their_end():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        page.script("""
            window.seen = {snapshots: [], pictures: []};
            const note = (kind, name) => { if (name && seen[kind].at(-1) !== name) seen[kind].push(name); };
            setInterval(() => {
              note("snapshots", document.getElementById("cloud-text").textContent.match(/snapshot_[0-9]+/)[0]);
              note("pictures", document.getElementById("picture").alt);
            }, 20);""")
        for kind, stem in (("snapshots", "snapshot"), ("pictures", "picture_density_z")):
            suffix = ".png" if kind == "pictures" else ""
            button = page.find("play-" + kind)
            button.send_keys(" ")
            assert button.text == "pause"
            until("its end", lambda: button.text == "play")
            names = [f"{stem}_{number:04}{suffix}" for number in (2, 0, 1, 2)]
            assert page.script("return seen[arguments[0]]", kind) == names, page.script("return seen")
            newest = page.find("newest-" + kind.removesuffix("s"))
            assert newest.get_attribute("aria-pressed") == "true"
            # A pause stays where it is, and the next play begins there.
            button.click()
            button.click()
            assert button.text == "play" and newest.get_attribute("aria-pressed") == "false"
        assert page.text("snapshot-name").startswith("snapshot_0000.hdf5 (1 of 3)"), page.text("snapshot-name")
        page.done("played")


def several_runs_are_compared_and_chosen():
    finished_run("fine", n=300)
    finished_run("galaxy", n=300, **physical)
    with Server(copy_of_run(), "fine", "galaxy", "later") as server:
        page, phone = Page(browser, server), Page(browser, server, width=390, height=1800)
        for one in (page, phone):
            until("the cloud", lambda: one.number("cloud", "shown") == 2000)
            until("all runs", lambda: [row.split()[0] for row in one.script("return [...document.querySelectorAll('#run-rows tr')].map((row) => row.innerText)")] == ["output", "fine", "galaxy", "later"])
        rows = page.script("return [...document.querySelectorAll('#run-rows tr')].map((row) => row.innerText.split(/\\s*\\t\\s*/))")
        assert [row[1] for row in rows] == ["finished", "finished", "finished", "waiting"] and [row[2] for row in rows] == ["0.2", "0.2", "1 Myr", "–"], rows
        legend = page.text("error-legend")
        assert "output " in legend and "fine " in legend and "galaxy (other units)" in legend, legend
        page.find("snapshot").send_keys("\ue012")
        until("the snapshot before", lambda: "2,000 particles of snapshot_0001.hdf5" in page.text("cloud-text"))
        button = lambda k: page.go().browser.find_elements(By.CSS_SELECTOR, "#run-rows button")[k]
        button(1).click()
        until("the same of the other", lambda: "300 particles of snapshot_0001.hdf5" in page.text("cloud-text"))
        assert button(1).get_attribute("aria-pressed") == "true" and page.text("directory").endswith("/fine"), page.text("directory")
        button(2).click()
        until("its units", lambda: page.text("time") == "1 Myr" and page.text("cloud-text").endswith("t = 0.5 Myr"))
        button(3).click()
        until("a run to come", lambda: page.text("state") == "waiting" and page.text("cloud-note") == "no snapshot yet")
        page.done("runs")
        phone.done("runs_on_a_phone")


def the_cloud_turns_zooms_and_hides_components():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("points of light", lambda: max(page.bright_parts()) > 0.005)
        pixels = lambda: page.script("return document.getElementById('cloud').toDataURL()")
        for act in (lambda c: ActionChains(browser).click_and_hold(c).move_by_offset(80, 30).release().perform(),
                    lambda c: page.script("arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -300, cancelable: true}))", c),
                    lambda c: c.send_keys("\ue012"),  # the left arrow
                    lambda c: page.find("components").find_element(By.TAG_NAME, "input").click(),
                    lambda c: page.find("reset").click()):
            before = pixels()
            act(page.find("cloud"))
            until("other pixels", lambda: pixels() != before)
        page.done("turned")


def snapshots_and_pictures_can_be_chosen():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        page.find("snapshot").send_keys("\ue012\ue012")
        until("the first snapshot", lambda: "snapshot_0000.hdf5, t = 0" in page.text("cloud-text"))
        assert page.find("newest-snapshot").get_attribute("aria-pressed") == "false"
        page.find("newest-snapshot").click()
        until("the last one again", lambda: "snapshot_0002.hdf5" in page.text("cloud-text"))
        Select(page.find("picture-kind")).select_by_visible_text("speed, along x")
        until("the other kind", lambda: page.find("picture").get_attribute("alt") == "picture_speed_x_0000.png")
        Select(page.find("picture-kind")).select_by_visible_text("density, along z")
        page.find("picture-number").send_keys("\ue012")
        until("an earlier one", lambda: page.find("picture").get_attribute("alt") == "picture_density_z_0001.png")
        write_picture("output/picture_density_z_0003.png", (1, 2, 3))
        until("one more", lambda: "(2 of 4)" in page.text("picture-name"))
        assert page.find("picture").get_attribute("alt") == "picture_density_z_0001.png"
        page.done("chosen")


def a_run_is_followed_from_before_its_start_until_it_is_killed():
    with Server("output") as server:
        page, other = Page(browser, server), Page(browser, server, width=390, height=1800)
        for one in (page, other):
            until("the page waits", lambda: one.text("state") == "waiting")
            assert "not there yet" in one.text("words") and "no snapshot yet" in one.text("cloud-note")
        with run_under_way("output", n=2000, end=1000):
            for one in (page, other):
                until("the run", lambda: one.text("state") == "at work")
                until("the cloud", lambda: one.number("cloud", "shown") == 2000)
                until("a chart", lambda: one.number("error-chart", "points") > 1)
            before = [one.number("phase-chart", "points") for one in (page, other)], page.text("progress-text"), page.text("cloud-text")
            until("more points", lambda: all(one.number("phase-chart", "points") > n for one, n in zip((page, other), before[0])))
            until("newer particles", lambda: page.text("cloud-text") != before[2])
            until("more steps", lambda: page.text("progress-text") != before[1])
            until("points of light", lambda: max(other.bright_parts()) > 0.003)
            page.done("running")
            other.done("phone")
        until("the end of the run", lambda: page.text("state") == "stopped")


def damage_is_told_and_the_rest_is_shown():
    copy_of_run()
    cut("output/snapshot_0002.hdf5", 0.5)
    with open("output/picture_density_z_0002.png", "r+b") as file:
        file.write(b"no picture")
    with open("output/energy.csv", "a") as file:
        file.write("1,2,3\n")
    with Server("output") as server:
        page = Page(browser, server)
        until("the snapshot before", lambda: "snapshot_0001.hdf5" in page.text("cloud-text"))
        assert "snapshot_0002.hdf5" in page.text("notes") and "energy.csv: 1 lines" in page.text("notes"), page.text("notes")
        until("words on the picture", lambda: "picture_density_z_0002.png cannot be shown" in page.text("picture-note"))
        os.remove("output/energy.csv")
        until("the chart is empty", lambda: page.number("error-chart", "points") == 0)
        shutil.move("output", "aside")
        until("the page waits", lambda: page.text("state") == "waiting")
        shutil.move("aside", "output")
        until("it is back", lambda: page.text("state") == "finished")
        page.done("damaged")


def a_snapshot_that_is_refused_for_lack_of_memory_is_shown_later():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        # What the server says where memory is short, and for a directory that is emptied while a snapshot is on its way.
        page.script("""
            window.trueFetch = window.fetch;
            window.fetch = (path) => path.startsWith("api/sample/") ? Promise.resolve(new Response("too little memory", {status: 500})) : trueFetch(path);
            shownSnapshot = "";""")
        until("words", lambda: "too little memory" in page.text("notes"))
        page.script("window.fetch = window.trueFetch")
        until("the snapshot", lambda: page.script("return shownSnapshot.startsWith('snapshot_0002.hdf5')"))
        until("no words", lambda: "too little memory" not in page.text("notes"))
        page.done("refused")


def a_directory_that_is_emptied_while_a_snapshot_is_read_is_no_defect():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the cloud", lambda: page.number("cloud", "shown") == 2000)
        page.script("""
            window.trueFetch = window.fetch;
            window.fetch = (path) => path.startsWith("api/sample/") ? new Promise((answer) => { window.answerLate = () => answer(trueFetch(path)); }) : trueFetch(path);
            shownSnapshot = "";""")
        until("a question", lambda: page.script("return !!window.answerLate"))
        shutil.move("output", "aside")
        until("the page has seen it", lambda: page.script("return snapshots.chosen === null"))
        page.script("window.fetch = window.trueFetch; window.answerLate()")
        until("the answer has come", lambda: page.script("return !loading"))
        page.done("emptied")


def a_server_that_ends_is_missed_in_words():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the run", lambda: page.text("state") == "finished")
        server.end()
        until("words", lambda: page.text("state") == "no answer" and "has ended" in page.text("trouble"), 30)
        page.done("ended")


def a_server_that_ends_within_an_answer_is_missed_in_words():
    with Server(copy_of_run()) as server:
        page = Page(browser, server)
        until("the run", lambda: page.text("state") == "finished")
        page.script("""
            const broken = () => new ReadableStream({start(stream) { stream.enqueue(new Uint8Array(9)); stream.error(new TypeError("network error")); }});
            window.fetch = () => Promise.resolve(new Response(broken()));""")
        until("words", lambda: page.text("state") == "no answer" and "has ended" in page.text("trouble"))
        page.done("ended_within_an_answer")


def without_webgl_the_rest_is_shown():
    with Server(copy_of_run()) as server:
        browser.switch_to.new_window("tab")
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest); };"""})
        browser.get(server.url)
        page = Page.__new__(Page)
        page.browser, page.tab = browser, browser.current_window_handle
        until("a chart", lambda: page.number("error-chart", "points") == 11)
        assert "no WebGL" in page.text("cloud-note")
        page.done("without_webgl")


if __name__ == "__main__":
    import tempfile

    if not chromium or not driver:
        print("chromium and chromedriver are not installed: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as shared_directory:
        finished_run(os.path.join(shared_directory, "shared_output"), n=2000)
        browser = start_browser()
        try:
            code = run_tests([a_finished_run_is_shown, rungs_are_shown_where_steps_are_divided, units_have_their_names_and_the_cloud_a_scale,
                              the_rotation_curve_is_that_of_the_snapshot_that_is_shown,
                              the_scale_bar_is_as_long_as_what_is_drawn, snapshots_and_pictures_are_played_to_their_end, several_runs_are_compared_and_chosen, the_cloud_turns_zooms_and_hides_components, snapshots_and_pictures_can_be_chosen,
                              a_run_is_followed_from_before_its_start_until_it_is_killed, damage_is_told_and_the_rest_is_shown,
                              a_snapshot_that_is_refused_for_lack_of_memory_is_shown_later,
                              a_directory_that_is_emptied_while_a_snapshot_is_read_is_no_defect,
                              a_server_that_ends_is_missed_in_words,
                              a_server_that_ends_within_an_answer_is_missed_in_words, without_webgl_the_rest_is_shown])
        finally:
            browser.quit()
    sys.exit(code)
