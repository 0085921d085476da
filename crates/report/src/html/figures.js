// How cuts were decided: which test did it, and how soon.

function figuresSection() {
  if (!data.coverage_summary.some((one) => one.property)) return null;
  return make("section", { id: "figures", "aria-labelledby": "figures-title" },
    make("h2", { id: "figures-title" }, "How cuts were decided"),
    make("h3", {}, "By which test"), testsFigure(),
    make("h3", {}, "How soon"), accuracyFigure());
}

// How many cuts each test decided, for all properties.
function decidedBy() {
  const counts = {};
  for (const one of data.coverage_summary.filter((one) => one.property)) {
    for (const [test, count] of Object.entries(one.tests || {})) counts[test] = (counts[test] || 0) + count;
  }
  return counts;
}

// Fig. 3 of the paper, for this design: the share of the cuts that each test decided.
function testsFigure() {
  const tests = Object.entries(decidedBy()).sort(([, one], [, other]) => other - one);
  const all = tests.reduce((sum, [, count]) => sum + count, 0) || 1;
  const lines = tests.map(([name, count], at) => drawn("g", { transform: `translate(0 ${at * 22})` },
    textAt(118, 14, name, "end"), drawn("rect", { x: 126, y: 2, width: Math.max(1, 380 * count / all), height: 15, fill: "var(--link)" }),
    textAt(134 + 380 * count / all, 14, `${percent(count / all)} % (${count})`, "start")));
  return figure(`share of the cuts that each test decided: ${tests.map(([name, count]) => `${name} ${count}`).join(", ")}`, 640, Math.max(22, tests.length * 22), lines);
}

// Fig. 4 of the paper, for this design: the share of decided cuts against time relative to the plain proof.
function accuracyFigure() {
  const curves = data.coverage_summary.filter((one) => one.property && (one.accuracy || []).length);
  if (!curves.length) return make("p", { class: "small" }, "There is no curve of what was put together from parts.");
  const relative = (one, point) => point.seconds / Math.max(one.proof_seconds, 1e-6);
  const most = Math.max(...curves.flatMap((one) => one.accuracy.map((point) => relative(one, point))), 1e-3);
  const [left, width, height] = [46, 540, 180];
  const x = (value) => left + width * value / most;
  const y = (share) => 8 + height * (1 - share);
  const lines = curves.map((one) => {
    let [path, share] = [`M${x(0)} ${y(0)}`, 0];
    for (const point of one.accuracy) {
      path += `L${x(relative(one, point)).toFixed(1)} ${y(share).toFixed(1)}L${x(relative(one, point)).toFixed(1)} ${y(point.share).toFixed(1)}`;
      share = point.share;
    }
    return drawn("path", { d: path, fill: "none", stroke: "var(--link)", "stroke-width": 2 }, drawn("title", {}, one.property));
  });
  const grid = [0, 0.5, 0.9, 1].map((share) => drawn("g", {}, drawn("path", { d: `M${left} ${y(share)}H${left + width}`, stroke: "var(--line)" }), textAt(left - 6, y(share) + 4, `${100 * share} %`, "end")));
  const foot = [textAt(left, height + 28, "0", "middle"), textAt(left + width, height + 28, `${most.toPrecision(2)} × the proof's time`, "end")];
  return figure("share of the cuts that are decided, against time relative to the proof", 640, height + 36, [...grid, ...lines, ...foot]);
}

function textAt(x, y, text, anchor) {
  return drawn("text", { x, y, "text-anchor": anchor, fill: "currentColor", "font-size": 12 }, text);
}

function figure(label, width, height, parts) {
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, style: "max-width:100%" }, ...parts);
}
