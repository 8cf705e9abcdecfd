// A run as the server knows it: state, logs, units.
"use strict";

const codeUnit = {name: "", per_code_unit: 1};
const unknownUnits = {time: codeUnit, energy: codeUnit, lengths: [{name: "code units", per_code_unit: 1}]};

class Run {
  constructor(index, name) {
    const log = (kind) => new Log(kind, index);
    Object.assign(this, {index, name, state: {}, trouble: ""});
    Object.assign(this, {energy: log("energy"), timings: log("timings"), rungs: log("time_bins")});
    this.bad = new Map();  // name and tag of a damaged snapshot, and what is wrong with it
  }
  has(name) {
    return this.state[name] !== undefined;
  }
  unit(name) {
    return (this.state.units || unknownUnits)[name];
  }
  /** The unit of time as a word behind a number: "Gyr"; empty in N-body units. */
  timeWord() {
    const {name} = this.unit("time");
    return name === "N-body units" ? "" : name;
  }
  timeText(time) {
    return `${number(time * this.unit("time").per_code_unit)} ${this.timeWord()}`.trim();
  }
  /** Values of a column of energy.csv, null without it. */
  energies(column, factor = 1) {
    const values = this.energy.column(column);
    return values && values.map((value) => (value === null ? null : value * factor));
  }
  times() {
    return this.energies("time", this.unit("time").per_code_unit) || [];
  }
  /** The name of the column with the error that counts. */
  errorColumn() {
    return ["own_energy_error", "relative_energy_error"].find((name) => this.energy.names.includes(name));
  }
  lastError() {
    const errors = this.energy.column(this.errorColumn());
    return errors && errors.length ? errors.at(-1) : null;
  }
  /** The part of its time that the run has done; null where it is not known. */
  partDone() {
    const {time, begin, end} = this.state;
    if (end === undefined || time === undefined || end <= begin) return null;
    return Math.min(1, Math.max(0, (time - begin) / (end - begin)));
  }
  /** Asks for what is new. */
  async update(isChosen) {
    this.state = await askJson("state", this.index);
    for (const log of isChosen ? [this.energy, this.timings, this.rungs] : [this.energy]) await this.updateLog(log);
  }
  async updateLog(log) {
    try {
      if (await log.update(this.state.logs.includes(log.name + ".csv"))) log.isShown = false;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 404) this.state.notes.push(error.message);
    }
  }
}
