// Of the files of a run: a slider over pictures or snapshots, which plays them, and logs.
"use strict";

// Of a log; then every second one goes.
const mostRows = 3000;

// -------------------------------------------------------------------------------------------------------------------
// A slider over files that come and go, with a button that plays them and one that stays with the newest
// -------------------------------------------------------------------------------------------------------------------
/** From one file to the next, in ms: all take 20 s, but each at least 1/15 s and at most 1/2 s. */
const playInterval = (count) => Math.min(500, Math.max(1000 / 15, 20000 / count));
const wait = (ms) => new Promise((done) => setTimeout(done, Math.max(0, ms)));

class Chooser {
  /** `changed` shows the file that is chosen; it returns a promise that is kept when it is shown. */
  constructor(slider, newest, player, changed) {
    Object.assign(this, {slider, newest, player, changed, files: [], chosen: null, follows: true, plays: 0});
    slider.addEventListener("input", () => {
      this.stop();
      this.choose(Number(slider.value));
      changed();
    });
    newest.addEventListener("click", () => {
      this.stop();
      this.follow(true);
      this.update(this.files);
      changed();
    });
    player.addEventListener("click", () => (this.isPlaying ? this.stop() : this.play()));
  }
  follow(does) {
    this.follows = does;
    this.newest.setAttribute("aria-pressed", String(does));
  }
  choose(index) {
    this.follow(index === this.files.length - 1);
    this.chosen = this.files[index];
    this.slider.value = index;
  }
  /** From the file that is shown to the last one; from the first one where the last one is shown. */
  async play() {
    this.setPlaying(true);
    const play = ++this.plays, isGoingOn = () => this.isPlaying && this.plays === play;
    const shown = this.files.indexOf(this.chosen), isAtEnd = this.follows || shown === this.files.length - 1;
    try {
      for (let next = isAtEnd ? 0 : shown + 1; isGoingOn() && next < this.files.length; ++next) {
        const began = performance.now();
        this.choose(next);
        await this.changed();
        await wait(playInterval(this.files.length) - (performance.now() - began));
      }
    } finally {
      if (isGoingOn()) this.stop();
    }
  }
  stop() {
    this.setPlaying(false);
  }
  setPlaying(does) {
    this.isPlaying = does;
    this.player.textContent = does ? "pause" : "play";
  }
  /** Name and place of the file that is chosen. */
  words() {
    return `${this.chosen.name} (${this.files.indexOf(this.chosen) + 1} of ${this.files.length})`;
  }
  /** `usable`: whether a file may be the newest. */
  update(files, usable = () => true) {
    this.files = files;
    this.slider.max = Math.max(0, files.length - 1);
    this.slider.disabled = this.player.disabled = files.length < 2;
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
  constructor(name, run) {
    Object.assign(this, {name, run});
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
      const part = await askJson(`log/${this.name}?rows=1000&after=${encodeURIComponent(this.cursor)}`, this.run);
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
