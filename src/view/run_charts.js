// The charts of the runs: energies, wall times, rungs, rotation curve.
"use strict";

const noEnergies = "no row of energy.csv yet", noRungs = "no row of time_bins.csv yet",
      noSnapshot = "no snapshot yet";
const threeDigits = (v) => number(v, 3), secondsFormat = (v) => (v === 0 ? "0" : seconds(v));
const errorChart = new Chart("error", {isLog: true, format: threeDigits, nothing: noEnergies, allZero: "no error yet"});
const virialChart = new Chart("virial", {guide: 1, format: threeDigits, nothing: noEnergies});
const energyChart = new Chart("energy", {format: (v, isExact) => number(v, isExact ? 6 : 3), nothing: noEnergies});
const phaseChart = new Chart("phase", {isStacked: true, format: secondsFormat, nothing: "no row of timings.csv yet"});
const rungCharts = [
  ["particles", "particles", withPrefix],
  ["updates", "updates", withPrefix],
  ["time", "s", secondsFormat]
].map(([id, column, format]) => [new Chart("rung-" + id, {isStacked: true, format, nothing: noRungs}), column]);
const rotationChart = new Chart("rotation", {fromZero: true, xIsLog: true, format: threeDigits, nothing: noSnapshot});
const titleOf = (column) => column.replaceAll("_", " ");

// How many years each has.
const unitsOfTime = {Gyr: 1e9, Myr: 1e6, kyr: 1e3, yr: 1, s: 1 / 31557600};
/** The run whose units charts of all runs have: the chosen one, or while that has none, the first that has. */
const leader = () => [run, ...runs].find((one) => one.has("units")) || run;
/** From code units of a run to the unit of time of the leader; null where they cannot be compared. */
function sharedTimeFactor(one) {
  const {per_code_unit: factor} = one.unit("time");
  const [from, to] = [one, leader()].map((each) => unitsOfTime[each.timeWord()]);
  if (!from && !to) return factor;
  return from && to ? (factor * from) / to : null;
}
/** A line for each run. */
function linesOfRuns(columnOf) {
  return runs.map((one) => {
    const factor = sharedTimeFactor(one), values = factor !== null && one.energies(columnOf(one));
    if (!values) return {name: factor === null ? `${one.name} (other units)` : one.name, x: [], values: []};
    return {name: one.name, x: one.energies("time", factor), values};
  });
}
/** Without lines that would hide the first one. */
function apart(lines) {
  const differs = ({values}) => lines[0].values.some((v, i) => Math.abs(v - values[i]) > 1e-3 * Math.abs(v));
  return lines.filter((line) => line === lines[0] || differs(line));
}
function showEnergies() {
  const {energy} = run, unit = run.unit("energy"), times = run.times();
  const timeName = leader().has("units") ? `time (${leader().unit("time").name})` : "time";
  const lines = (names, factor) => names.filter((name) => energy.names.includes(name))
                                       .map((name) => ({name: titleOf(name), values: run.energies(name, factor)}));
  const areSeveral = runs.length > 1, ofEach = areSeveral ? " of each run" : "";
  text("error-title", "Energy error" + ofEach);
  text("virial-title", "Virial ratio" + ofEach);
  text("energy-unit", unit.name ? ` in ${unit.name.replace("^2", "²")}` : "");
  const errors = areSeveral ? linesOfRuns((one) => one.errorColumn()) :
                              apart(lines(["relative_energy_error", "own_energy_error"]));
  const ratios = areSeveral ? linesOfRuns(() => "virial_ratio") : apart(lines(["virial_ratio", "own_virial_ratio"]));
  errorChart.set(times, errors, timeName);
  virialChart.set(times, ratios, timeName);
  energyChart.set(times, lines(["kinetic", "potential", "external", "total"], unit.per_code_unit), timeName);
}
function showPhases() {
  const log = run.timings;
  const phases = log.names.filter((name) => name.endsWith("_mean_s"));
  const used = phases.map((name) => ({name: titleOf(name.slice(0, -7)), values: log.column(name)}))
                   .filter(({values}) => values.some((v) => v > 0));
  phaseChart.set(log.column("step") || [], used, "step");
}
/** Only runs with divided steps have rungs. */
function showRungs() {
  const log = run.rungs, {names} = log;
  for (const card of document.querySelectorAll(".rungs")) card.hidden = names.length === 0;
  const isUsed = (name) => log.column(name).some((v) => v > 0);
  const used = names.filter((name) => name.endsWith("_particles"))
                   .map((name) => name.slice(0, -10))
                   .filter((rung) => isUsed(rung + "_particles") || isUsed(rung + "_updates"));
  for (const [chart, column] of rungCharts)
    chart.set(log.column("step") || [],
              used.map((rung) => ({name: titleOf(rung), values: log.column(`${rung}_${column}`)})), "step");
}
/** `curve`: what the server's rotation_curve() says; null: there is none, and `why`. */
function showRotation(curve, why = "") {
  if (!curve) {
    rotationChart.nothing = why ? "no curve" : noSnapshot;
    text("rotation-unit", "");
    text("rotation-text", why);
    rotationChart.set([], [], "");
    return;
  }
  const colourOf = ({type}) => () => (type === undefined ? style("--text") : componentColour(type));
  const lines = curve.curves.map((one) => ({name: one.name, values: one.speed, colour: colourOf(one)}));
  const [shown, all] = [curve.shown, curve.particles].map((count) => count.toLocaleString("en"));
  const of = curve.shown < curve.particles ? `a sample of ${shown} of the ${all}` : `all ${all}`;
  const external = curve.external ? ", “all” with external potentials" : "";
  const without = curve.missing.length ? `; without ${curve.missing.join(", ")}` : "";
  const what = `circular speed √(G M/r) about the densest point${external}, from ${of} particles${without}`;
  text("rotation-unit", ` in ${curve.speed_unit}`);
  text("rotation-text", `${curve.snapshot}: ${what}`);
  const xName = curve.length_unit === "N-body units" ? "radius" : `radius (${curve.length_unit})`;
  rotationChart.set(curve.radius.map(Math.log10), lines, xName);
}
/** Draws the charts whose logs have something new; `all`: those of another run. */
function showCharts(all) {
  const isNew = (log) => all || !log.isShown;
  if (runs.some((one) => isNew(one.energy))) showEnergies();
  if (isNew(run.timings)) showPhases();
  if (isNew(run.rungs)) showRungs();
  for (const one of runs) one.energy.isShown = true;
  run.timings.isShown = run.rungs.isShown = true;
}
