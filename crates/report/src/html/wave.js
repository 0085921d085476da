// Runs as waveforms. Where there are two, what both agree on is drawn once; what they differ in is
// drawn for both, with the steps at which they do marked.

const LANE = 26;
const FEW = 10;

const isBool = (values) => values.every((value) => value === "true" || value === "false");

// The rows of a trace: those of a run, which has them as ranges, but for some.
function rowsOf({ run, changes = [] }) {
  const rows = [];
  const ranges = data.runs[run];
  for (let at = 0; at < ranges.length; at += 2) {
    for (let row = 0; row < ranges[at + 1]; row++) rows.push(data.rows[ranges[at] + row]);
  }
  for (let at = 0; at < changes.length; at += 2) rows[changes[at]] = data.rows[changes[at + 1]];
  return rows;
}

// A name as its model has it: on a page of several models, names have the path of theirs before them.
function bare(name) {
  const input = data.inputs.length > 1 && data.inputs.find((one) => name.startsWith(`${one.file}:`));
  return input ? name.slice(input.file.length + 1) : name;
}

// The lanes of a run, or of a run beside its original: the inputs first, which are the cause, then what
// is violated or differs first, then what differs at all.
function lanes(trace, original, first) {
  const before = new Map(original ? rowsOf(original).map((row) => [row[0], row]) : []);
  const all = rowsOf(trace).map((row) => {
    const [name, input, values] = row;
    const other = before.get(name);
    const differs = other !== undefined && other !== row;
    return { name, input: input === 1, values, original: differs ? other[2] : null };
  });
  const violated = new Set((trace.violates || []).map(([name]) => bare(name)));
  const rank = (lane) =>
    lane.input ? 0 : (first || []).includes(lane.name) || violated.has(lane.name) ? 1 : lane.original ? 2 : 3;
  return all.map((lane) => ({ ...lane, rank: rank(lane), violated: violated.has(lane.name) }))
    .sort((one, other) => one.rank - other.rank);
}

// A waveform, a button for the lanes that are not shown at first, and the values as a table.
function waveform(label, trace, { original, first } = {}) {
  const all = lanes(trace, original, first);
  // Every input and what shows the failure, and of the rest as many as there is room for.
  const telling = all.filter((lane) => lane.rank < 2).length;
  const few = all.slice(0, Math.max(FEW, telling));
  const picture = scroller(label, wave(label, few, trace));
  const parts = [picture];
  if (few.length < all.length) {
    const button = make("button", { type: "button", class: "more" }, `Show all ${all.length} variables`);
    button.addEventListener("click", () => {
      picture.replaceChildren(wave(label, all, trace));
      button.remove();
    });
    parts.push(button);
  }
  parts.push(fold({ class: "values" }, "The same as a table", () => [values(label, few, trace)]));
  return make("div", { class: "waveform" }, parts);
}

function wave(label, all, { steps, loop }) {
  const doubled = all.flatMap((lane) => lane.original
    ? [{ ...lane, values: lane.original, other: lane.values, who: "original" },
      { ...lane, other: lane.original, who: "mutant" }]
    : [{ ...lane, who: "" }]);
  const longest = (texts, least, most) =>
    Math.min(most, Math.max(least, ...texts.map((text) => [...text].length)));
  const notes = all.some((one) => one.original) ? 62 : all.some((one) => one.input) ? 22 : 0;
  const left = 16 + 7.3 * longest(doubled.map((lane) => lane.name), 4, 34) + notes;
  const width = Math.max(48, 18 + 7.3 * longest(doubled.flatMap((lane) => isBool(lane.values) ? [] : lane.values), 1, 16));
  const size = { width: left + steps * width + 8, height: 24 + doubled.length * LANE + 4 };
  const svg = drawn("svg", {
    class: "wave", role: "img", "aria-label": describe(label, all) + round(steps, loop),
    width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}`,
  });
  for (let step = 0; step < steps; step++) {
    const x = left + step * width;
    svg.append(drawn("line", { class: "grid", x1: x, x2: x, y1: 18, y2: size.height - 2 }));
    svg.append(drawn("text", { class: "step", x: x + width / 2, y: 13, "text-anchor": "middle" }, String(step)));
  }
  if (loop !== undefined) {
    // The steps that come again and again.
    const [from, to] = [left + loop * width + 2, left + steps * width - 2];
    svg.append(drawn("path", { class: "loop", d: `M${from} 22V18H${to}V22` }));
  }
  doubled.forEach((lane, at) => svg.append(drawLane(lane, 24 + at * LANE, left, width, steps)));
  return svg;
}

function drawLane(lane, top, left, width, steps) {
  const group = drawn("g", { class: `lane ${lane.who}${lane.violated ? " violated" : ""}` });
  const end = left - 10 - (lane.who ? 62 : lane.input ? 22 : 0);
  const name = drawn("text", { class: "name", x: 6, y: top + 16 }, clipped(lane.name, Math.floor((end - 6) / 7.2)));
  name.append(drawn("title", {}, lane.name));
  group.append(name);
  const note = lane.who || (lane.input ? "in" : "");
  if (note) group.append(drawn("text", { class: "who", x: left - 8, y: top + 16, "text-anchor": "end" }, note));
  if (lane.other) group.append(...differences(lane, top, left, width, steps));
  const box = { top: top + 4, bottom: top + LANE - 6, left, width };
  group.append(...(isBool(lane.values) ? level(lane.values, box) : bus(lane.values, box)));
  return group;
}

// Boxes around the steps at which original and mutant differ.
function differences(lane, top, left, width, steps) {
  const boxes = [];
  for (let step = 0; step < steps; step++) {
    if (lane.values[step] === lane.other[step]) continue;
    boxes.push(drawn("rect", { class: "differs", x: left + step * width, y: top + 1, width, height: LANE - 2 }));
  }
  return boxes;
}

function level(values, { top, bottom, left, width }) {
  let path = "";
  const shapes = [];
  values.forEach((value, step) => {
    const [x, y] = [left + step * width, value === "true" ? top : bottom];
    path += `${step === 0 ? "M" : "L"}${x} ${y}H${x + width}`;
    if (value === "true") shapes.push(drawn("rect", { class: "high", x, y: top, width, height: bottom - top }));
    if (step > 0 && values[step - 1] === value) return;
    shapes.push(drawn("text", { class: "truth", x: x + 5, y: bottom - 4 }, value));
  });
  return [...shapes, drawn("path", { class: "level", d: path })];
}

// One box for as long as a value stays.
function bus(values, { top, bottom, left, width }) {
  const shapes = [];
  let from = 0;
  values.forEach((value, step) => {
    if (step + 1 < values.length && values[step + 1] === value) return;
    const [x, end] = [left + from * width, left + (step + 1) * width];
    const middle = (top + bottom) / 2;
    shapes.push(drawn("path", {
      class: "bus",
      d: `M${x} ${middle}L${x + 4} ${top}H${end - 4}L${end} ${middle}L${end - 4} ${bottom}H${x + 4}Z`,
    }));
    const text = drawn("text", { class: "value", x: (x + end) / 2, y: middle + 4, "text-anchor": "middle" },
      clipped(value, Math.floor((end - x - 8) / 7.2)));
    text.append(drawn("title", {}, value));
    shapes.push(text);
    from = step + 1;
  });
  return shapes;
}

function clipped(text, room) {
  const characters = [...text];
  return characters.length <= room ? text : characters.slice(0, Math.max(1, room - 1)).join("") + "…";
}

function describe(label, all) {
  const differing = all.filter((lane) => lane.original).map((lane) => lane.name);
  const violated = all.filter((lane) => lane.violated).map((lane) => lane.name);
  return `Waveform: ${label}. ${plural(all.length, "variable")}.`
    + (differing.length ? ` Original and mutant differ in ${differing.join(", ")}.` : "")
    + (violated.length ? ` Violated: ${violated.join(", ")}.` : "");
}

function round(steps, loop) {
  return loop === undefined ? "" : ` After step ${steps - 1} it goes on with step ${loop}, for ever.`;
}

function values(label, all, { steps, loop }) {
  const table = make("table", { class: "numbers" }, make("caption", { class: "hidden" }, label + round(steps, loop)));
  const count = Array.from({ length: steps }, (_, step) => step);
  table.append(make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "step"),
    count.map((step) => make("th", { scope: "col" }, String(step))))));
  const line = (name, list, other) => make("tr", {}, make("th", { scope: "row" }, name),
    count.map((step) => make("td", { class: other && other[step] !== list[step] ? "differs" : null }, list[step] ?? "")));
  table.append(make("tbody", {}, all.flatMap((lane) => lane.original
    ? [line(`${lane.name} (original)`, lane.original, lane.values), line(`${lane.name} (mutant)`, lane.values, lane.original)]
    : [line(lane.name, lane.values)])));
  return scroller(`${label}, as a table`, table);
}
