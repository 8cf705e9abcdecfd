// What the scripts of the page share: colours, numbers for people, questions to the server.
"use strict";

const $ = (id) => document.getElementById(id);
// Okabe & Ito: told apart by people who see fewer colours.
// By type of particle: gas, halo, disc, bulge, stars, black holes.
const typeColours = ["#009e73", "#56b4e9", "#e69f00", "#d55e00", "#f0e442", "#cc79a7"];
const lineColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c8c8c", "#f0e442"];
const darkness = matchMedia("(prefers-color-scheme: dark)");
/** Of a line in a chart; both blues change places on a dark page. */
const lineColour = (k) => lineColours[darkness.matches && k % 5 === 0 && k < 6 ? 5 - k : k % lineColours.length];
/** Of a component in a chart: yellow cannot be seen on white. */
const componentColour = (type) => (type === 4 && !darkness.matches ? "#a39500" : typeColours[type]);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
function text(id, value) {
  if ($(id).textContent !== value) $(id).textContent = value;
}

/** A number for people: 12,345; 0.0123; 1.2e-7. */
function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return Number(value.toPrecision(digits)).toLocaleString("en", {maximumFractionDigits: 8});
}
/** The largest of 1, 2 and 5 times a power of ten that is not above. */
function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [5, 2, 1].find((m) => m * power <= value || m === 1);
}
function withPrefix(value) {
  if (value >= 1e9) return number(value / 1e9, 3) + " G";
  if (value >= 1e6) return number(value / 1e6, 3) + " M";
  if (value >= 1e3) return number(value / 1e3, 3) + " k";
  return number(value, 3);
}
function seconds(s) {
  if (!Number.isFinite(s)) return "–";
  if (s < 1e-3) return number(s * 1e6, 3) + " µs";
  if (s < 1) return number(s * 1e3, 3) + " ms";
  if (s < 120) return number(s, 3) + " s";
  if (s < 7200) return number(s / 60, 3) + " min";
  return s < 172800 ? number(s / 3600, 3) + " h" : number(s / 86400, 3) + " days";
}

/** An answer of the server that says what is wrong, in words. */
class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}
/** The bytes of the answer; `run`: the number of the run that the question is about. */
async function ask(path, run = 0) {
  try {
    const answer = await fetch(`api/${path}${path.includes("?") ? "&" : "?"}run=${run}`);
    const bytes = await answer.arrayBuffer();
    if (answer.ok) return bytes;
    throw new Refusal(answer.status, inWords(bytes).trim());
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The server can end within an answer, too.
    const words = "grove view does not answer: it has ended, or the tunnel is closed.";
    throw new Refusal(0, words + " Trying again; a new start has a new address.");
  }
}
const inWords = (bytes) => new TextDecoder().decode(bytes);
const askJson = async (path, run) => JSON.parse(inWords(await ask(path, run)));
