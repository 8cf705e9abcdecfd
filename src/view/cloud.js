// The cloud of particles, drawn with WebGL: drag to rotate, wheel or two fingers to zoom.
"use strict";
const vertexShader = `
attribute vec3 position; attribute float type;
uniform mat3 turn; uniform vec2 aspect; uniform float size, zoom; uniform vec3 colours[6]; uniform float shown[6];
varying vec4 colour;
void main() {
  vec3 p = turn * position * zoom;
  float depth = 3.0 - p.z;  // from the eye, which is three radii away
  gl_Position = vec4(p.xy * aspect * 2.4, 0.0, depth);
  vec3 c = vec3(0.0); float visible = 0.0;
  for (int i = 0; i < 6; ++i) if (abs(type - float(i)) < 0.5) { c = colours[i]; visible = shown[i]; }
  if (visible < 0.5 || depth < 0.05) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  colour = vec4(c, 1.0);
  gl_PointSize = clamp(size * 3.0 / depth, 1.0, 14.0);
}`;
const fragmentShader = `
precision mediump float; varying vec4 colour; uniform float brightness;
void main() {
  float r = length(gl_PointCoord - 0.5) * 2.0;
  // Light adds up, but does not become white: the colour of a crowd is that of its component.
  gl_FragColor = vec4(colour.rgb * 1.15, 1.0) * max(0.0, 1.0 - r * r) * brightness;
}`;

class Cloud {
  constructor(canvas) {
    this.canvas = canvas;
    this.count = 0;
    this.hidden = new Set();
    this.lengths = [];  // units of length, the largest first: {name, per_code_unit}
    this.pointers = new Map();
    this.reset();
    this.begin();
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.gl = null;
      this.say("the graphics card was lost; waiting for it");
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.begin();
      if (this.sample) this.show(this.sample);
    });
    this.listen();
  }
  say(words) {
    $("cloud-note").hidden = !words;
    text("cloud-note", words);
  }

  begin() {
    // The buffer is kept so that a picture of the page has the cloud in it.
    const gl = this.canvas.getContext("webgl", {alpha: false, antialias: false, preserveDrawingBuffer: true});
    if (!gl) {
      this.say("This browser shows no WebGL, which the cloud of particles needs. Everything else works.");
      return;
    }
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "position");
    gl.bindAttribLocation(program, 1, "type");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      this.gl = null;
      this.say("WebGL does not take the program that draws particles: " + gl.getProgramInfoLog(program));
      return;
    }
    gl.useProgram(program);
    this.at = (name) => gl.getUniformLocation(program, name);
    gl.uniform3fv(this.at("colours"), typeColours.flatMap(rgb));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0.024, 0.031, 0.043, 1);
    for (const [place, length, type] of [[0, 3, gl.FLOAT], [1, 1, gl.UNSIGNED_BYTE]]) {
      this["buffer" + place] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this["buffer" + place]);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, length, type, false, 0, 0);
    }
  }

  /** Shows nothing until the next sample. */
  clear() {
    this.sample = null;
    this.scale = this.count = 0;
    this.draw();
  }
  reset() {
    this.turn = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    this.rotate(0.5, -0.9);
    this.zoom = 1;
    this.scale = 0;  // taken from the next sample
    if (this.sample) this.show(this.sample);
  }
  /** Turns what is seen about the vertical and the horizontal axis of the screen. */
  rotate(right, down) {
    const [c, s, d, t] = [Math.cos(right), Math.sin(right), Math.cos(down), Math.sin(down)];
    const by = [c, 0, s, t * s, d, -t * c, -d * s, t, d * c], old = this.turn;
    this.turn =
        by.map((_, i) => [0, 1, 2].reduce((sum, k) => sum + by[3 * Math.floor(i / 3) + k] * old[3 * k + (i % 3)], 0));
    this.draw();
  }
  magnify(factor) {
    this.zoom = Math.min(200, Math.max(0.02, this.zoom * factor));
    this.draw();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener("pointermove", (e) => {
      const before = this.pointers.get(e.pointerId);
      if (!before) return;
      const span = () => {
        const [a, b] = [...this.pointers.values()];
        return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
      };
      const two = this.pointers.size === 2, old = two ? span() : 0;
      this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
      if (two)
        this.magnify(span() / old);
      else
        this.rotate((e.clientX - before[0]) * 0.008, (e.clientY - before[1]) * 0.008);
    });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.magnify(Math.exp(-e.deltaY * (e.deltaMode ? 0.04 : 0.0012)));
    }, {passive: false});
    canvas.addEventListener("keydown", (e) => {
      const turns = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]},
            zooms = {"+": 1.2, "=": 1.2, "-": 1 / 1.2};
      if (turns[e.key])
        this.rotate(...turns[e.key]);
      else if (zooms[e.key])
        this.magnify(zooms[e.key]);
      else
        return;
      e.preventDefault();
    });
  }

  show(sample) {
    this.sample = sample;
    if (this.scale === 0) this.scale = 0.8 / (sample.radius || 1);
    this.count = sample.types.length;
    this.canvas.dataset.shown = this.count;
    this.canvas.setAttribute("aria-label", `particles of ${sample.snapshot}: ${this.count} points`);
    if (!this.gl) return;
    this.say(this.count ? "" : `${sample.snapshot} has no particles that can be shown`);
    const gl = this.gl;
    for (const [buffer, values] of [[this.buffer0, sample.positions], [this.buffer1, sample.types]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    }
    this.draw();
  }

  /** Draws before the browser shows the next picture. */
  draw() {
    if (this.isDue || !this.gl) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.drawNow();
    });
  }
  drawNow() {
    const gl = this.gl, canvas = this.canvas, ratio = Math.min(2, window.devicePixelRatio || 1);
    if (!gl) return;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const short = Math.min(width, height), t = this.turn;
    gl.uniformMatrix3fv(this.at("turn"), false, [t[0], t[3], t[6], t[1], t[4], t[7], t[2], t[5], t[8]]);
    gl.uniform2f(this.at("aspect"), short / width, short / height);
    gl.uniform1f(this.at("zoom"), this.zoom * this.scale);
    // Few points are large and bright, many are small and faint.
    const crowd = Math.sqrt(20000 / Math.max(500, this.count));
    gl.uniform1f(
        this.at("size"), ratio * Math.min(5, 1.6 * crowd + 0.9) * Math.sqrt(Math.min(4, Math.max(1, this.zoom))));
    gl.uniform1f(this.at("brightness"), Math.min(0.95, 0.42 * crowd + 0.1));
    gl.uniform1fv(this.at("shown"), typeColours.map((_, type) => (this.hidden.has(type) ? 0 : 1)));
    gl.drawArrays(gl.POINTS, 0, this.count);
    this.drawScaleBar();
  }

  /** A round length of at most 130 pixels and a quarter of the width, in the plane through the centre; what is nearer looks larger. */
  drawScaleBar() {
    const {clientWidth: width, clientHeight: height} = this.canvas, wanted = Math.min(130, width / 4);
    // A length in the plane is 2.4 / 3 of what the vertex shader makes of it, of half the shorter side.
    const pixels = this.zoom * this.scale * 0.4 * Math.min(width, height);  // of one code unit
    $("scale").hidden = !(this.count > 0 && pixels > 0 && this.lengths.length);
    if ($("scale").hidden) return;
    const unit = this.lengths.find(({per_code_unit: factor}) => (wanted / pixels) * factor >= 1) || this.lengths.at(-1);
    const length = roundBelow((wanted / pixels) * unit.per_code_unit);
    $("scale-bar").style.width = `${(length / unit.per_code_unit) * pixels}px`;
    text("scale-text", `${number(length)} ${unit.name}`);
  }
}

/** What SampleCache of the server sends. */
function readSample(bytes) {
  const length = new DataView(bytes).getUint32(0, true);
  const sample = JSON.parse(inWords(new Uint8Array(bytes, 4, length)));
  sample.positions = new Float32Array(bytes, 4 + length, 3 * sample.shown);
  sample.types = new Uint8Array(bytes, 4 + length + 12 * sample.shown, sample.shown);
  return sample;
}

function showComponents(sample) {
  const wanted = JSON.stringify(sample.components);
  if ($("components").dataset.shows === wanted) return;
  $("components").dataset.shows = wanted;
  $("components").replaceChildren(...sample.components.map(({type, name, particles}) => {
    const label = document.createElement("label"), box = document.createElement("input"),
          colour = document.createElement("i");
    box.type = "checkbox";
    box.checked = !cloud.hidden.has(type);
    box.addEventListener("change", () => {
      if (box.checked)
        cloud.hidden.delete(type);
      else
        cloud.hidden.add(type);
      cloud.draw();
    });
    colour.style.background = typeColours[type];
    label.append(box, colour, `${name}: ${particles.toLocaleString("en")}`);
    return label;
  }));
}
