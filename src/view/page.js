// The live view of a run: asks the server for what is new, and shows it. In this order: sliders over files, logs, what
// is shown, and the loop that asks.
"use strict";

// Between two questions, in ms, by the state of the run.
const interval = {
  running: 2000,
  waiting: 2000,
  stopped: 3000,
  finished: 3000,
  lost: 3000
};
// Of a log; then every second one goes.
const mostRows = 3000;

// -------------------------------------------------------------------------------------------------------------------
// A slider over files that come and go, and a button that stays with the newest
// -------------------------------------------------------------------------------------------------------------------
class Chooser {
  constructor(slider, button, changed) {
    [this.slider, this.button, this.files, this.chosen, this.follows] = [slider, button, [], null, true];
    slider.addEventListener("input", () => {
      this.follow(Number(slider.value) === this.files.length - 1);
      this.chosen = this.files[Number(slider.value)];
      changed();
    });
    button.addEventListener("click", () => {
      this.follow(true);
      this.update(this.files);
      changed();
    });
  }
  follow(does) {
    this.follows = does;
    this.button.setAttribute("aria-pressed", String(does));
  }
  /** Name and place of the file that is chosen. */
  words() {
    return `${this.chosen.name} (${this.files.indexOf(this.chosen) + 1} of ${this.files.length})`;
  }
  /** `usable`: whether a file may be the newest. */
  update(files, usable = () => true) {
    this.files = files;
    this.slider.max = Math.max(0, files.length - 1);
    this.slider.disabled = files.length < 2;
    const same = this.chosen && files.find((file) => file.name === this.chosen.name);
    if (!same) this.follow(true);
    this.chosen = this.follows ? files.findLast(usable) || files.at(-1) || null : same;
    this.slider.value = this.chosen ? files.indexOf(this.chosen) : 0;
  }
}

// -------------------------------------------------------------------------------------------------------------------
// Logs, which grow
// -------------------------------------------------------------------------------------------------------------------
class Log {
  constructor(name) {
    this.name = name;
    this.clear();
  }
  clear() {
    Object.assign(this, {names: [], rows: [], cursor: "", stride: 1, seen: 0, badLines: 0});
  }
  /** Asks until there is nothing new; returns whether something came. */
  async update(isThere) {
    if (!isThere) {
      const had = this.rows.length > 0;
      this.clear();
      return had;
    }
    for (let came = false;;) {
      const part = await askJson(`log/${this.name}?rows=1000&after=${encodeURIComponent(this.cursor)}`);
      if (part.is_from_start) {
        came = came || this.rows.length > 0;
        this.clear();
      }
      [this.names, this.cursor] = [part.names, part.cursor];
      this.badLines += part.bad_lines;
      if (part.rows.length) {
        came = true;
        this.add(part.rows);
      }
      if (part.is_last) return came;
    }
  }
  add(rows) {
    // The newest row is kept only until the next one.
    const last = this.seen > 0 && (this.seen - 1) % this.stride !== 0 ? 1 : 0;
    this.rows.splice(this.rows.length - last, last);
    for (const row of rows)
      if (this.seen++ % this.stride === 0) this.rows.push(row);
    if ((this.seen - 1) % this.stride !== 0) this.rows.push(rows.at(-1));
    if (this.rows.length <= mostRows) return;
    const newest = this.rows.at(-1);
    this.rows = this.rows.filter((_, i) => i % 2 === 0);
    this.stride *= 2;
    if (this.rows.at(-1) !== newest && (this.seen - 1) % this.stride !== 0) this.rows.push(newest);
  }
  column(name) {
    const at = this.names.indexOf(name);
    return at < 0 ? null : this.rows.map((row) => row[at]);
  }
}

function showEnergies(unit) {
  const time = energyLog.column("time") || [], name = unit ? `time (${unit})` : "time";
  const lines = (names) => names.filter((n) => energyLog.names.includes(n))
                               .map((n) => ({name: n.replaceAll("_", " "), values: energyLog.column(n)}));
  errorChart.set(time, lines(["relative_energy_error", "own_energy_error"]), name);
  energyChart.set(time, lines(["kinetic", "potential", "external", "total"]), name);
}
function showPhases() {
  const phases = timingsLog.names.filter((name) => name.endsWith("_mean_s"));
  const used = phases.map((name) => ({name: name.slice(0, -7).replaceAll("_", " "), values: timingsLog.column(name)}))
                   .filter(({values}) => values.some((v) => v > 0));
  phaseChart.set(timingsLog.column("step") || [], used, "step");
}
/** Only runs with divided steps have rungs. */
function showRungs() {
  const {names} = rungsLog;
  for (const card of document.querySelectorAll(".rungs")) card.hidden = names.length === 0;
  const isUsed = (name) => rungsLog.column(name).some((v) => v > 0);
  const used = names.filter((name) => name.endsWith("_particles"))
                   .map((name) => name.slice(0, -10))
                   .filter((rung) => isUsed(rung + "_particles") || isUsed(rung + "_updates"));
  for (const [chart, column] of rungCharts)
    chart.set(
        rungsLog.column("step") || [],
        used.map((rung) => ({name: rung.replaceAll("_", " "), values: rungsLog.column(`${rung}_${column}`)})), "step");
}

// -------------------------------------------------------------------------------------------------------------------
// What is shown
// -------------------------------------------------------------------------------------------------------------------
const cloud = new Cloud($("cloud"));
const energyLog = new Log("energy"), timingsLog = new Log("timings"), rungsLog = new Log("time_bins");
const errorChart = new Chart(
    "error", {isLog: true, format: (v) => number(v, 3), nothing: "no row of energy.csv yet", allZero: "no error yet"});
const energyChart =
    new Chart("energy", {format: (v, isExact) => number(v, isExact ? 6 : 3), nothing: "no row of energy.csv yet"});
const secondsFormat = (v) => (v === 0 ? "0" : seconds(v));
const phaseChart = new Chart(
    "phase", {isStacked: true, format: secondsFormat, nothing: "no row of timings.csv yet"});
const rungCharts = [
  ["particles", "particles", withPrefix],
  ["updates", "updates", withPrefix],
  ["time", "s", secondsFormat]
].map(([id, column, format]) => [new Chart("rung-" + id,
                                           {isStacked: true, format, nothing: "no row of time_bins.csv yet"}),
                                 column]);
const snapshots = new Chooser($("snapshot"), $("newest-snapshot"), () => showSnapshot());
const pictures = new Chooser($("picture-number"), $("newest-picture"), () => showPicture());
const bad = new Map();     // name and tag of a damaged snapshot, and what is wrong with it
let snapshotTrouble = "";  // why the last one could not be had this time: it is asked for again
const keyOf = (file) => file.name + " " + file.tag;
let state = {}, shownSnapshot = "", isLoading = false, timer = 0;  // 0: a round is under way

async function showSnapshot() {
  const wanted = snapshots.chosen;
  text("snapshot-name", wanted ? snapshots.words() : "snapshot");
  if (!wanted) {
    if (!cloud.sample && cloud.gl) cloud.say("no snapshot yet");
    return;
  }
  if (isLoading || keyOf(wanted) === shownSnapshot) return;
  isLoading = true;
  try {
    if (!cloud.sample && cloud.gl) cloud.say("reading " + wanted.name);
    const sample = readSample(await ask("sample/" + wanted.name));
    cloud.show(sample);
    showComponents(sample);
    shownSnapshot = keyOf(wanted);
    snapshotTrouble = "";
    const [shown, all] = [sample.shown, sample.particles].map((count) => count.toLocaleString("en"));
    const time = sample.time === undefined ? "" : `, t = ${number(sample.time)}`;
    const lost = sample.not_finite ? `; ${sample.not_finite} have no finite position` : "";
    text("cloud-text", `${shown} of ${all} particles of ${sample.snapshot}${time}${lost}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Only what is damaged stays so; memory may come back.
    if (error.status === 422) bad.set(keyOf(wanted), error.message);
    snapshotTrouble = [404, 422, 0].includes(error.status) ? "" : error.message;
    if (!cloud.sample && cloud.gl) cloud.say(error.message);
  } finally {
    isLoading = false;
  }
  // The slider may have moved meanwhile; and where the newest one is bad, the one before is the newest.
  if (snapshots.follows) snapshots.update(snapshots.files, (file) => !bad.has(keyOf(file)));
  showNotes();
  const next = snapshots.chosen;
  // There may be none any more; and what has just been refused waits for the next round.
  if (next && keyOf(next) !== keyOf(wanted) && !bad.has(keyOf(next))) await showSnapshot();
}

const kindOf = (picture) => `${picture.quantity}, along ${picture.axis}`;
function updatePictures(all) {
  const kinds = [...new Set(all.map(kindOf))].sort(), menu = $("picture-kind");
  if (JSON.stringify(kinds) !== menu.dataset.kinds) {
    const before = menu.value;
    menu.dataset.kinds = JSON.stringify(kinds);
    menu.replaceChildren(...kinds.map((kind) => new Option(kind, kind)));
    menu.value = [before, "density, along z", kinds[0]].find((kind) => kinds.includes(kind)) || "";
    menu.disabled = kinds.length < 2;
  }
  const number_before = pictures.chosen && pictures.chosen.number;
  const files = all.filter((picture) => kindOf(picture) === menu.value);
  // Another kind is shown of the same time.
  if (!pictures.follows) pictures.chosen = files.find((picture) => picture.number === number_before) || null;
  pictures.update(files);
  showPicture();
}
function showPicture() {
  const wanted = pictures.chosen, image = $("picture");
  $("picture-controls").hidden = !wanted;
  text("picture-name", wanted ? pictures.words() : "picture");
  if (!wanted) {
    image.hidden = true;
    $("picture-note").hidden = false;
    text("picture-note", "no picture yet: [pictures] of a configuration asks for them");
    image.dataset.shows = "";
    return;
  }
  if (image.dataset.shows === keyOf(wanted)) return;
  image.dataset.shows = keyOf(wanted);
  const next = new Image();
  const isWanted = () => image.dataset.shows === keyOf(wanted);
  next.onload = () => {
    if (!isWanted()) return;
    image.src = next.src;
    image.alt = wanted.name;
    image.hidden = false;
    $("picture-note").hidden = true;
  };
  next.onerror = () => {
    if (!isWanted()) return;
    image.hidden = true;
    $("picture-note").hidden = false;
    text("picture-note", `${wanted.name} cannot be shown: it is damaged, or has gone`);
  };
  next.src = `api/picture/${wanted.name}?${encodeURIComponent(wanted.tag)}`;
}

/** Wall time of the steps that are left, if they take as long as the last ones; 0 where it is not known. */
function timeLeft() {
  const times = (timingsLog.column("total_s") || []).slice(-10), {dt, end, time} = state;
  if (state.state !== "running" || !times.length || dt === undefined || time === undefined) return 0;
  return ((end - time) / dt) * (times.reduce((sum, s) => sum + s, 0) / times.length);
}
const has = (name) => state[name] !== undefined;
/** The part of its time that the run has done; null where it is not known. */
function partDone() {
  if (!has("end") || !has("time") || state.end <= state.begin) return null;
  return Math.min(1, Math.max(0, (state.time - state.begin) / (state.end - state.begin)));
}
function progressWords(part) {
  if (!has("step")) return "–";
  const of = has("steps") && state.step <= state.steps ? ` of ${number(state.steps, 15)}` : "";
  const words = `step ${number(state.step, 15)}${of}`;
  if (part === null) return words;
  // Rounded down: 100 % is the end.
  return `${words}, ${part < 0.1 ? (Math.floor(part * 1000) / 10).toFixed(1) : Math.floor(part * 100)} %`;
}
function showState() {
  $("state").className = "pill " + state.state;
  text("state", state.state === "running" ? "at work" : state.state);
  text("directory", state.directory);
  document.title = "Grove: " + state.directory.split("/").pop();
  const left = timeLeft();
  text("words", state.words + (left > 0 ? `; about ${seconds(left)} of steps left` : ""));
  const part = partDone();
  $("progress").value = part || 0;
  text("progress-text", progressWords(part));
  const isInUnits = has("time_words") && /[a-z]/i.test(state.time_words.replace(/e[-+]?\d/, ""));
  text("time", has("time") ? (isInUnits ? state.time_words : number(state.time)) : "–");
  const end = isInUnits ? state.end_words : `${number(state.end)}, ${state.time_unit}`;
  text("time-unit", has("end") ? `of ${end}` : "time");
  text("speed", has("particles_per_s") ? withPrefix(state.particles_per_s) : "–");
  text("step-time", has("step_s") ? seconds(state.step_s) : "–");
  const errors = energyLog.column("own_energy_error") || energyLog.column("relative_energy_error");
  text("error", errors && errors.length ? number(errors.at(-1), 3) : "–");
}
function showNotes() {
  const there = new Set(snapshots.files.map(keyOf));
  const damaged = [...bad].filter(([key]) => there.has(key)).map(([, why]) => why);
  const words = (log) => `${log.name}.csv: ${log.badLines} lines have too few or too many values and are left out`;
  const lines = [energyLog, timingsLog, rungsLog].filter((log) => log.badLines).map(words);
  const trouble = snapshotTrouble ? [snapshotTrouble] : [];
  const notes = [...new Set([...(state.notes || []), ...lines, ...damaged, ...trouble])];
  if ($("notes").dataset.shows === JSON.stringify(notes)) return;
  $("notes").dataset.shows = JSON.stringify(notes);
  $("notes").replaceChildren(...notes.map((note) => Object.assign(document.createElement("li"), {textContent: note})));
}

// -------------------------------------------------------------------------------------------------------------------
// The loop
// -------------------------------------------------------------------------------------------------------------------
async function updateLog(log, show) {
  try {
    if (await log.update(state.logs.includes(log.name + ".csv")) || !log.isShown) {
      log.isShown = true;
      show();
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status !== 404) state.notes.push(error.message);
  }
}
async function update() {
  state = await askJson("state");
  await updateLog(energyLog, () => showEnergies(state.time_unit));
  await updateLog(timingsLog, showPhases);
  await updateLog(rungsLog, showRungs);
  showState();
  updatePictures(state.pictures);
  snapshots.update(state.snapshots, (file) => !bad.has(keyOf(file)));
  showNotes();
  showSnapshot().catch(console.error);
}
async function loop() {
  timer = 0;
  let next = interval.lost;
  if (document.hidden) {
    timer = setTimeout(loop, next);
    return;
  }
  try {
    await update();
    next = interval[state.state] || 2000;
    $("trouble").hidden = true;
  } catch (error) {
    $("trouble").hidden = false;
    text("trouble", error instanceof Refusal ? error.message : `a defect of this page: ${error}`);
    if (!(error instanceof Refusal)) console.error(error);
    $("state").className = "pill lost";
    text("state", "no answer");
  }
  timer = setTimeout(loop, next);
}
// A page that nobody sees asks nothing; one that is seen again is up to date at once.
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !timer) return;
  clearTimeout(timer);
  loop();
});

const drawAll = () => {
  cloud.draw();
  for (const chart of [errorChart, energyChart, phaseChart, ...rungCharts.map(([chart]) => chart)]) chart.draw();
};
new ResizeObserver(drawAll).observe(document.querySelector("main"));
darkness.addEventListener("change", drawAll);
$("reset").addEventListener("click", () => cloud.reset());
$("picture-kind").addEventListener("change", () => updatePictures(state.pictures || []));
loop();
