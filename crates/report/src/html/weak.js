// Where the properties are weak: how the mutants of each node and of each equation fared, and those that
// can reach each output.

function weakSection() {
  if (!data.digest) return null;
  const { nodes, elements } = data.digest;
  const { outputs } = data;
  const table = (title, id, parts) => make("div", { id }, make("h3", {}, title), ...parts);
  return make("section", { id: "weak", "aria-labelledby": "weak-title" },
    make("h2", { id: "weak-title" }, "Where it is weak"),
    nodes.length > 1 ? table("By node", "by-node", scores("Scores by node", "Node", nodes)) : null,
    table("By equation", "by-element", scores("Scores by equation", "Equation", elements)),
    outputs.length ? table("By output", "by-output", scores("Scores by output, of the mutants that can reach it", "Output", outputs, [gapsShown()])) : null);
}

function scores(caption, title, tallies, more = []) {
  const origins = new Map(data.elements.map((one) => [one.id, one.origin]));
  const name = ({ name }) => {
    const origin = origins.get(name);
    return make("code", {}, origin && origin.file ? toLine(origin, brief(name)) : brief(name));
  };
  const count = (title, field, hint) => ({ title, class: "right", hint, key: ({ score }) => score[field] });
  const rare = [["Survived", "survived", "survived"], ["Not observed", "not_observed", "not-observed"], ["Unknown", "unknown", "unknown"], ["Equivalent", "equivalent", "equivalent"]];
  const columns = [
    { title, key: (one) => one.name, cell: name },
    { title: "Noticed", key: ({ score }) => score.low, cell: ({ score }) => shareBar(score) },
    count("Killed", "killed", VERDICTS.killed.means),
    count("Gaps", "gap", VERDICTS.gap.means),
    ...rare.filter(([, field]) => data.score[field]).map(([title, field, kind]) => count(title, field, VERDICTS[kind].means)),
    ...more,
  ];
  return sortable(caption, columns, tallies, { size: 10 });
}

function shareBar(score) {
  if (score.total === score.equivalent) return "–";
  const range = percent(score.low) === percent(score.high) ? percent(score.low) : `${percent(score.low)}–${percent(score.high)}`;
  return make("span", { class: "share" },
    make("span", { class: "track", "aria-hidden": "true" }, make("span", { style: `width:${100 * score.low}%` })), `${range} %`);
}

// A gap shows at each output that differs at the first differing step of its run.
function gapsShown() {
  const found = new Map();
  for (const mutant of data.mutants) {
    if (mutant.verdict !== "gap") continue;
    // With several models, the outputs that it reaches have the path of the model before them.
    const shows = (name) => (mutant.differs || []).some((one) => name === one || name.endsWith(`:${one}`));
    for (const name of (mutant.reaches || []).filter(shows)) found.set(name, (found.get(name) || 0) + 1);
  }
  return { title: "Gaps that show here", class: "right", hint: "gaps whose run differs here first", key: (one) => found.get(one.name) || 0 };
}
