// Charts that grow, drawn on a canvas.
"use strict";
/** Round places between both, about `count` of them. */
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((m) => m * power >= raw) || 10);
  const places = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && places.length < 50; ++i)
    places.push(i * step);
  return places;
}

/** The same of logarithms: powers of ten, and what is between where there are few of them. */
function logTicks(low, high) {
  const between = high - low < 1.5 ? [1, 2, 5] : high - low < 3 ? [1, 3] : [1], every = Math.ceil((high - low) / 7);
  const places = [];
  for (let power = Math.ceil(low) - 1; power <= high; ++power)
    if (power % every === 0)
      for (const m of between) places.push(power + Math.log10(m));
  return places.filter((y) => y >= low && y <= high);
}

class Chart {
  /**
   * `options`: isLog, isStacked, fromZero, xIsLog, guide (a y with a line of its own), format (of y), nothing (words
   * without data).
   */
  constructor(id, options) {
    Object.assign(
        this, {canvas: $(id + "-chart"), legend: $(id + "-legend"), lines: [], x: [], mark: null, ...options});
    this.canvas.addEventListener("pointermove", (e) => {
      this.mark = e.offsetX;
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.mark = null;
      this.draw();
    });
  }
  /**
   * `x`: places, their logarithms with xIsLog; `lines`: [{name, values}], null where there is nothing. Lines may have
   * an `x` and a `colour` (a function) of their own.
   */
  set(x, lines, xName) {
    Object.assign(this, {x, lines: lines.map((line) => ({x, ...line})), xName});
    this.draw();
  }

  xText(x) {
    return this.xIsLog ? number(10 ** x, 3) : number(x);
  }
  colourOf(k) {
    const {colour} = this.lines[k];
    return colour ? colour() : lineColour(k);
  }
  /** What is drawn: logarithms, or sums over the lines before. */
  heights() {
    const sums = this.x.map(() => 0);
    return this.lines.map(({values}) => values.map((value, i) => {
      if (value === null) return null;
      if (this.isLog) return value === 0 ? null : Math.log10(Math.abs(value));
      return this.isStacked ? (sums[i] += value) : value;
    }));
  }
  range(values) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values)
      if (value !== null) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    if (low > high) return null;
    const fromZero = this.isStacked || this.fromZero;
    if (fromZero) low = 0;
    if (this.guide !== undefined) [low, high] = [Math.min(low, this.guide), Math.max(high, this.guide)];
    const room = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
    return [fromZero ? 0 : low - room, high + room];
  }

  draw() {
    const ratio = window.devicePixelRatio || 1, canvas = this.canvas, width = canvas.clientWidth,
          height = canvas.clientHeight;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = style("--faint");
    canvas.dataset.points = this.x.length;
    canvas.setAttribute("aria-label", `${this.lines.map((line) => line.name).join(", ")}: ${this.x.length} points`);
    const heights = this.heights(), yRange = this.range(heights.flat());
    if (!yRange) {
      pen.textAlign = "center";
      pen.fillText(this.x.length ? this.allZero || this.nothing : this.nothing, width / 2, height / 2);
      this.legend.textContent = "";
      return;
    }
    const ends = this.lines.flatMap(({x}) => (x.length ? [x[0], x.at(-1)] : []));
    let [x0, x1] = [Math.min(...ends), Math.max(...ends)];
    if (x0 === x1) [x0, x1] = [x0 - 0.5, x1 + 0.5];
    const box = {left: 58, right: width - 16, top: 8, bottom: height - 34};
    const px = (x) => box.left + ((x - x0) / (x1 - x0)) * (box.right - box.left);
    const py = (y) => box.bottom - ((y - yRange[0]) / (yRange[1] - yRange[0])) * (box.bottom - box.top);
    this.drawAxes(pen, box, [x0, x1], yRange, px, py);
    if (this.isStacked)
      this.drawAreas(pen, heights, px, py);
    else
      this.drawLines(pen, heights, px, py);
    this.showValues(pen, box, px);
  }
  drawAxes(pen, box, xRange, yRange, px, py) {
    pen.strokeStyle = style("--line");
    pen.lineWidth = 1;
    const line = (...ends) => {
      pen.beginPath();
      pen.moveTo(ends[0], ends[1]);
      pen.lineTo(ends[2], ends[3]);
      pen.stroke();
    };
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const y of this.isLog ? logTicks(...yRange) : ticks(...yRange, 5)) {
      line(box.left, py(y), box.right, py(y));
      pen.fillText(this.isLog ? number(10 ** y, 3) : this.format(y), box.left - 6, py(y));
    }
    if (this.guide !== undefined) {
      pen.strokeStyle = style("--faint");
      pen.setLineDash([5, 4]);
      line(box.left, py(this.guide), box.right, py(this.guide));
      pen.setLineDash([]);
      pen.strokeStyle = style("--line");
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const most = Math.max(2, Math.floor((box.right - box.left) / 70));
    for (const x of this.xIsLog ? logTicks(...xRange) : ticks(...xRange, most)) {
      line(px(x), box.bottom, px(x), box.bottom + 4);
      pen.fillText(this.xText(x), px(x), box.bottom + 6);
    }
    pen.fillText(this.xName, (box.left + box.right) / 2, box.bottom + 20);
  }
  drawLines(pen, heights, px, py) {
    heights.forEach((values, k) => {
      const {x} = this.lines[k];
      pen.strokeStyle = pen.fillStyle = this.colourOf(k);
      pen.lineWidth = 1.6;
      pen.beginPath();
      let isDown = false;
      values.forEach((y, i) => {
        if (y === null) {
          isDown = false;
          return;
        }
        pen[isDown ? "lineTo" : "moveTo"](px(x[i]), py(y));
        isDown = true;
      });
      pen.stroke();
      if (values.length < 40)
        values.forEach((y, i) => {
          if (y !== null) pen.fillRect(px(x[i]) - 2, py(y) - 2, 4, 4);
        });
    });
  }
  drawAreas(pen, heights, px, py) {
    for (let k = heights.length - 1; k >= 0; --k) {
      pen.fillStyle = lineColour(k);
      pen.beginPath();
      pen.moveTo(px(this.x[0]), py(0));
      heights[k].forEach((y, i) => pen.lineTo(px(this.x[i]), py(y || 0)));
      pen.lineTo(px(this.x.at(-1)), py(0));
      pen.fill();
    }
  }
  /** The legend has the values under the pointer, or the last ones. */
  showValues(pen, box, px) {
    const distance = (x) => Math.abs(px(x) - this.mark);
    const nearest = (xs) => xs.reduce((best, x, i) => (distance(x) < distance(xs[best]) ? i : best), 0);
    const placeIn = (xs) => (this.mark === null ? xs.length - 1 : nearest(xs));
    const longest = this.lines.reduce((a, b) => (b.x.length > a.x.length ? b : a)).x, place = longest[placeIn(longest)];
    if (this.mark !== null) {
      pen.strokeStyle = style("--faint");
      pen.beginPath();
      pen.moveTo(px(place), box.top);
      pen.lineTo(px(place), box.bottom);
      pen.stroke();
    }
    const entries = this.lines.map(({name, x, values}, k) => {
      const entry = document.createElement("span"), colour = document.createElement("i");
      colour.style.background = this.colourOf(k);
      entry.append(colour, `${name} ${this.format(values[placeIn(x)], true)}`);
      return entry;
    });
    const where = document.createElement("span");
    // "time (Gyr)" is "time 1.2 Gyr"; N-body units stay unsaid.
    const [name, unit] = this.xName.split(/ [(]|[)]/);
    where.textContent = `${name} ${this.xText(place)} ${unit && !unit.includes(" ") ? unit : ""}`.trim();
    this.legend.replaceChildren(...entries, where);
  }
}
