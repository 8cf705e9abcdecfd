// The live view of runs: asks the server for what is new, and shows it. In this order: the runs, particles, rotation
// curve, pictures, state, and the loop that asks.
"use strict";

// Between two questions, in ms, by the state of the run.
const interval = {
  running: 2000,
  waiting: 2000,
  stopped: 3000,
  finished: 3000,
  lost: 3000
};

// -------------------------------------------------------------------------------------------------------------------
// The runs, of which one is chosen
// -------------------------------------------------------------------------------------------------------------------
let runs = [], run = new Run(0, "");  // `run` is the one that is chosen
/** Rounded down: 100 % is the end. */
const percents = (part) => `${part < 0.1 ? (Math.floor(part * 1000) / 10).toFixed(1) : Math.floor(part * 100)} %`;
const stateWord = (state) => (state === "running" ? "at work" : state || "connecting");

async function askForRuns() {
  const {runs: names} = await askJson("runs");
  runs = names.map((name, index) => new Run(index, name));
  run = runs[0];
  $("runs").hidden = runs.length < 2;
  if (runs.length < 2) return;
  $("run-rows").replaceChildren(...runs.map((one) => {
    const row = document.createElement("tr"), button = document.createElement("button"),
          colour = document.createElement("i");
    button.append(colour, one.name);
    button.addEventListener("click", () => chooseRun(one));
    for (let k = 0; k < 6; ++k) row.append(document.createElement("td"));
    row.firstChild.append(button);
    one.row = row;
    return row;
  }));
}
function showRuns() {
  for (const one of runs.length < 2 ? [] : runs) {
    const {state} = one, part = one.partDone(), [cell, ...others] = one.row.children;
    cell.firstChild.setAttribute("aria-pressed", String(one === run));
    cell.firstChild.firstChild.style.background = lineColour(one.index);
    const words = [
      one.trouble || stateWord(state.state), one.has("time") ? one.timeText(state.time) : "–",
      part === null ? "–" : percents(part), number(one.lastError(), 3),
      one.has("particles_per_s") ? withPrefix(state.particles_per_s) : "–"
    ];
    words.forEach((word, k) => (others[k].textContent = word));
  }
}
function chooseRun(one) {
  for (const chooser of [snapshots, pictures]) chooser.stop();
  run = one;
  shownSnapshot = snapshotTrouble = "";
  cloud.clear();
  showComponents({components: []});
  showRotation(null);
  text("cloud-text", "");
  if (run.state.state) {
    showAll(true);
  } else {  // nothing is known of it yet
    showRuns();
    for (const chooser of [snapshots, pictures]) chooser.update([]);
    text("state", "connecting");
    text("directory", "");
  }
  hurry();
}

// -------------------------------------------------------------------------------------------------------------------
// Particles
// -------------------------------------------------------------------------------------------------------------------
const cloud = new Cloud($("cloud"));
const keyOf = (file) => file.name + " " + file.tag;
const isUsable = (file) => !run.bad.has(keyOf(file));
const snapshots = new Chooser($("snapshot"), $("newest-snapshot"), $("play-snapshots"), () => showSnapshot());
let shownSnapshot = "", snapshotTrouble = "";  // why the last one could not be had this time: it is asked for again
let loading = null;                            // a promise while a snapshot is on its way

/** Shows the chosen snapshot, when it has come. */
async function showSnapshot() {
  const wanted = snapshots.chosen;
  text("snapshot-name", wanted ? snapshots.words() : "snapshot");
  if (!wanted && !cloud.sample && cloud.gl) cloud.say("no snapshot yet");
  if (!wanted || keyOf(wanted) === shownSnapshot) return;
  loading = loading || loadSnapshots().finally(() => (loading = null));
  await loading;
}
/** The slider may move while a snapshot is on its way. What has just been refused waits for the next round. */
async function loadSnapshots() {
  for (let wanted = snapshots.chosen, before = ""; wanted && ![shownSnapshot, before].includes(keyOf(wanted));) {
    await loadSnapshot(wanted);
    before = keyOf(wanted);
    // Where the newest one is bad, the one before is the newest.
    if (snapshots.follows) snapshots.update(snapshots.files, isUsable);
    showNotes();
    wanted = snapshots.chosen && isUsable(snapshots.chosen) ? snapshots.chosen : null;
    text("snapshot-name", snapshots.chosen ? snapshots.words() : "snapshot");
  }
}
async function loadSnapshot(wanted) {
  const asked = run;
  try {
    if (!cloud.sample && cloud.gl) cloud.say("reading " + wanted.name);
    const sample = readSample(await ask("sample/" + wanted.name, asked.index));
    if (asked !== run) return;
    cloud.lengths = run.unit("lengths");
    cloud.show(sample);
    showComponents(sample);
    shownSnapshot = keyOf(wanted);
    snapshotTrouble = "";
    const [shown, all] = [sample.shown, sample.particles].map((count) => count.toLocaleString("en"));
    const time = sample.time === undefined ? "" : `, t = ${run.timeText(sample.time)}`;
    const lost = sample.not_finite ? `; ${sample.not_finite} have no finite position or mass` : "";
    text("cloud-text", `${shown} of ${all} particles of ${sample.snapshot}${time}${lost}`);
    followRotation();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Only what is damaged stays so; memory may come back.
    if (error.status === 422) asked.bad.set(keyOf(wanted), error.message);
    if (asked !== run) return;
    snapshotTrouble = [404, 422, 0].includes(error.status) ? "" : error.message;
    if (!cloud.sample && cloud.gl) cloud.say(error.message);
  }
}

// -------------------------------------------------------------------------------------------------------------------
// Rotation curve
// -------------------------------------------------------------------------------------------------------------------
let isRotationAsked = false;
/** Shows the curve of the snapshot that is shown. While one is on its way, no other is asked for: play is faster. */
async function followRotation() {
  if (isRotationAsked) return;
  isRotationAsked = true;
  try {
    for (let key = ""; shownSnapshot && key !== shownSnapshot + run.index;) {
      key = shownSnapshot + run.index;
      const asked = run, name = shownSnapshot.split(" ")[0];
      const question = askJson("rotation/" + name, run.index);
      const answer = await question.then((curve) => [curve], (error) => [null, error.message]);
      if (asked === run && shownSnapshot) showRotation(...answer);
    }
  } finally {
    isRotationAsked = false;
  }
}

// -------------------------------------------------------------------------------------------------------------------
// Pictures
// -------------------------------------------------------------------------------------------------------------------
const pictures = new Chooser($("picture-number"), $("newest-picture"), $("play-pictures"), () => showPicture());
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
function sayOfPicture(words) {
  $("picture").hidden = true;
  $("picture-note").hidden = false;
  text("picture-note", words);
}
/** The promise is kept when the picture has come or cannot be shown. */
async function showPicture() {
  const wanted = pictures.chosen, image = $("picture"), key = wanted ? `${run.index} ${keyOf(wanted)}` : "";
  $("picture-controls").hidden = !wanted;
  text("picture-name", wanted ? pictures.words() : "picture");
  if (!wanted) sayOfPicture("no picture yet: [pictures] of a configuration asks for them");
  if (image.dataset.shows === key) return;
  image.dataset.shows = key;
  if (!wanted) return;
  const next = new Image();
  next.src = `api/picture/${wanted.name}?run=${run.index}&${encodeURIComponent(wanted.tag)}`;
  const isThere = await next.decode().then(() => true, () => false);
  if (image.dataset.shows !== key) return;
  if (!isThere) {
    sayOfPicture(`${wanted.name} cannot be shown: it is damaged, or has gone`);
    return;
  }
  image.src = next.src;
  image.alt = wanted.name;
  image.hidden = false;
  $("picture-note").hidden = true;
}

// -------------------------------------------------------------------------------------------------------------------
// State
// -------------------------------------------------------------------------------------------------------------------
/** Wall time of the steps that are left, if they take as long as the last ones; 0 where it is not known. */
function timeLeft() {
  const times = (run.timings.column("total_s") || []).slice(-10), {state, dt, end, time} = run.state;
  if (state !== "running" || !times.length || dt === undefined || time === undefined) return 0;
  return ((end - time) / dt) * (times.reduce((sum, s) => sum + s, 0) / times.length);
}
function progressWords(part) {
  const {step, steps} = run.state;
  if (step === undefined) return "–";
  const of = steps !== undefined && step <= steps ? ` of ${number(steps, 15)}` : "";
  const words = `step ${number(step, 15)}${of}`;
  return part === null ? words : `${words}, ${percents(part)}`;
}
function showState() {
  const {state} = run;
  $("state").className = "pill " + state.state;
  text("state", stateWord(state.state));
  text("directory", state.directory);
  document.title = "Grove: " + (runs.length > 1 ? run.name : state.directory.split("/").pop());
  const left = timeLeft();
  text("words", state.words + (left > 0 ? `; about ${seconds(left)} of steps left` : ""));
  const part = run.partDone();
  $("progress").value = part || 0;
  text("progress-text", progressWords(part));
  text("time", run.has("time") ? run.timeText(state.time) : "–");
  const nBody = run.timeWord() ? "" : ", N-body units";
  text("time-unit", run.has("end") ? `of ${run.timeText(state.end)}${nBody}` : "time");
  text("speed", run.has("particles_per_s") ? withPrefix(state.particles_per_s) : "–");
  text("step-time", run.has("step_s") ? seconds(state.step_s) : "–");
  text("error", number(run.lastError(), 3));
}
function showNotes() {
  const there = new Set(snapshots.files.map(keyOf));
  const damaged = [...run.bad].filter(([key]) => there.has(key)).map(([, why]) => why);
  const words = (log) => `${log.name}.csv: ${log.badLines} lines have too few or too many values and are left out`;
  const lines = [run.energy, run.timings, run.rungs].filter((log) => log.badLines).map(words);
  const trouble = snapshotTrouble ? [snapshotTrouble] : [];
  const notes = [...new Set([...(run.state.notes || []), ...lines, ...damaged, ...trouble])];
  if ($("notes").dataset.shows === JSON.stringify(notes)) return;
  $("notes").dataset.shows = JSON.stringify(notes);
  $("notes").replaceChildren(...notes.map((note) => Object.assign(document.createElement("li"), {textContent: note})));
}
/** Shows the chosen run as it is known; `isOther`: another one was shown before. */
function showAll(isOther) {
  showRuns();
  showCharts(isOther);
  showState();
  updatePictures(run.state.pictures);
  snapshots.update(run.state.snapshots, isUsable);
  showNotes();
  showSnapshot().catch(console.error);
}

// -------------------------------------------------------------------------------------------------------------------
// The loop
// -------------------------------------------------------------------------------------------------------------------
let timer = 0, isHurried = false;  // timer = 0: a round is under way

async function update() {
  if (!runs.length) await askForRuns();
  let refusal = null;  // of the run that is shown
  for (const one of runs) {
    try {
      await one.update(one === run);
      one.trouble = "";
    } catch (error) {
      // What is wrong with one run does not hide the others.
      if (!(error instanceof Refusal) || error.status === 0) throw error;
      one.trouble = error.message;
      if (one === run) refusal = error;
    }
  }
  if (refusal || !run.state.state) showRuns();
  if (refusal) throw refusal;
  if (run.state.state) showAll(false);
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
    next = interval[run.state.state] || 2000;
    $("trouble").hidden = true;
  } catch (error) {
    $("trouble").hidden = false;
    text("trouble", error instanceof Refusal ? error.message : `a defect of this page: ${error}`);
    if (!(error instanceof Refusal)) console.error(error);
    $("state").className = "pill lost";
    text("state", error instanceof Refusal && error.status === 0 ? "no answer" : "error");
  }
  timer = setTimeout(loop, isHurried ? 0 : next);
  isHurried = false;
}
/** A round at once, or right after the one that is under way. */
function hurry() {
  isHurried = !timer;
  if (!timer) return;
  clearTimeout(timer);
  loop();
}
// A page that nobody sees asks nothing; one that is seen again is up to date at once.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) hurry();
});

const drawAll = () => {
  cloud.draw();
  const charts = [errorChart, virialChart, energyChart, rotationChart, phaseChart];
  for (const chart of [...charts, ...rungCharts.map(([chart]) => chart)]) chart.draw();
};
new ResizeObserver(drawAll).observe(document.querySelector("main"));
darkness.addEventListener("change", () => {
  drawAll();
  showRuns();
});
$("reset").addEventListener("click", () => cloud.reset());
$("picture-kind").addEventListener("change", () => updatePictures(run.state.pictures || []));
loop();
