// Coverage: which registers and gates the properties see, and what a cut of each does.

const COVERAGE = {
  "not-covered": { word: "not covered", mark: "✗", means: "every property still holds when it is cut: a fault there may go unnoticed" },
  unknown: { word: "undecided", mark: "?", means: "not decided in the given time" },
  covered: { word: "covered", mark: "✓", means: "a property fails when it is cut: the properties see it" },
};

const jointCoverage = data.coverage_summary.filter((one) => one.property === null);
const cutThings = data.elements.some((one) => one.category === "gate") ? "registers and gates" : "registers";

// The share that is covered, over all models.
function coverageAnswer() {
  const sum = (part) => jointCoverage.reduce((all, one) => all + part(one), 0);
  const all = sum((one) => one.elements);
  const count = (name) => sum((one) => one.funnel[name]);
  const [covered, unknown] = [sum((one) => one.share.nondet.covered), sum((one) => one.share.nondet.unknown)];
  const share = (number) => percent(all ? number / all : 1);
  const missed = all - covered - unknown;
  const rest = [
    missed ? `${missed} could be anything` : null,
    unknown ? `${unknown} ${unknown === 1 ? "is" : "are"} undecided` : null,
  ].filter(Boolean);
  const parts = [
    { name: "covered", kind: "verdict-killed", mark: "✓", word: "covered" },
    { name: "unknown", kind: "verdict-unknown", mark: "?", word: "undecided" },
    { name: "used", kind: "verdict-gap", mark: "✗", word: "used by a proof, not covered" },
    { name: "unused", kind: "role-unused", mark: ROLES.unused.mark, word: "not used by the proofs" },
    { name: "outside", kind: "role-outside", mark: ROLES.outside.mark, word: "outside: no property depends on it" },
  ];
  const where = jointCoverage[0].cut === "output" ? "their outputs were cut" : "their next values were cut";
  return {
    headline: `${unknown ? `${share(covered)}–${share(covered + unknown)}` : share(covered)} %`,
    title: `of the ${cutThings} covered`,
    sentence: `The properties see ${covered} of ${all} ${cutThings}${rest.length ? `; ${rest.join(", ")}` : ""}.`,
    bar: stacked(`${cutThings} by what is known of them`, parts.map((one) => ({ ...one, count: count(one.name) })).filter((one) => one.count), [where]),
  };
}

function coverageSection() {
  if (!jointCoverage.length) return null;
  return make("section", { id: "coverage", "aria-labelledby": "coverage-title" },
    make("h2", { id: "coverage-title" }, "Coverage"),
    make("p", {}, "Each of them was cut: it gets any value at every step, or it is stuck at 0 or at 1. It is covered when a property fails then."),
    make("h3", {}, "By property"), ...coverageByProperty(), make("h3", {}, "By register"), ...coverageByElement());
}

function coverageByProperty() {
  const share = (one, name) => one.share[name] || { low: 0, high: 0 };
  const shown = (one, name) => {
    const { low, high } = share(one, name);
    return `${percent(low) === percent(high) ? percent(low) : `${percent(low)}–${percent(high)}`} %`;
  };
  const column = (title, name) => ({ title, class: "right", key: (one) => share(one, name).low, cell: (one) => shown(one, name) });
  const name = (one) => (one.property === null ? "all together" : brief(one.property));
  return sortable("Coverage by property", [
    { title: "Property", key: name },
    column("Any value", "nondet"), column("Stuck at 0", "zero"), column("Stuck at 1", "one"),
    { title: "Proof", class: "right", key: (one) => one.proof_seconds, cell: (one) => duration(one.proof_seconds) },
    { title: "Coverage", class: "right", key: (one) => one.seconds, cell: (one) => duration(one.seconds) },
  ], data.coverage_summary, { stacks: true });
}

// What no property sees comes first.
function coverageByElement() {
  const elements = new Map(data.elements.map((one) => [one.id, one]));
  const order = Object.keys(COVERAGE);
  const role = (one) => roleOf(elements.get(one.element) || {});
  const roleRank = (one) => (role(one) ? ROLE_ORDER.indexOf(role(one)) : ROLE_ORDER.length);
  const rank = (one) => order.indexOf(one.nondet);
  const rows = [...data.coverage].sort((one, other) => rank(one) - rank(other) || roleRank(one) - roleRank(other));
  const place = (one) => {
    const { origin } = elements.get(one.element) || {};
    return make("code", {}, origin && origin.file ? toLine(origin, brief(one.element)) : brief(one.element));
  };
  const column = (title, name) => ({ title, key: (one) => order.indexOf(one[name]), cell: (one) => badge(COVERAGE, one[name]) });
  const tests = (one) => [...new Set(Object.values(one.decided_by || {}))].join(", ") || "–";
  return sortable("Coverage by register", [
    { title: "Register", key: (one) => one.element, cell: place },
    { title: "Proof", hint: "what it is to the proofs", key: roleRank, cell: (one) => (role(one) ? badge(ROLES, role(one)) : "–") },
    column("Any value", "nondet"), column("Stuck at 0", "zero"), column("Stuck at 1", "one"),
    ...(rows.some((one) => tests(one) !== "–") ? [{ title: "Decided by", key: tests }] : []),
  ], rows, { size: 100, stacks: true });
}
