// How good is the specification? The answer first, then what it rests on.

function header() {
  const names = paths.map(lastPart);
  const top = document.getElementById("top");
  top.append(
    make("p", { class: "brand" }, `proofmark ${data.command}`),
    make("h1", {}, names.join(", ")),
    hero(),
  );
}

function hero() {
  const { headline, title, sentence, bar } = data.score ? scoreAnswer() : jointCoverage.length ? coverageAnswer() : data.cores.length ? coreAnswer() : checkAnswer();
  return make("div", { class: "hero" },
    make("p", { class: "headline" }, make("span", { class: "number" }, headline), make("span", { class: "what" }, title)),
    make("div", { class: "answer" }, make("p", { class: "sentence" }, sentence), bar));
}

function scoreAnswer() {
  const { low, high, killed, gap, survived, not_observed: notObserved, unknown, equivalent, total } = data.score;
  const range = percent(low) === percent(high) ? percent(low) : `${percent(low)}–${percent(high)}`;
  const faults = total - equivalent;
  const rest = [
    gap ? `${gap} slip${gap === 1 ? "s" : ""} through` : null,
    survived ? `${survived} may slip through` : null,
    notObserved ? `${notObserved} ${notObserved === 1 ? "goes" : "go"} unnoticed, where nothing but properties is observed` : null,
    unknown ? `${unknown} ${unknown === 1 ? "is" : "are"} undecided` : null,
  ].filter(Boolean);
  const proved = data.properties.filter((one) => one.verdict === "valid").length;
  const subject = plural(proved, "proved property notices", "proved properties notice");
  const sentence = rest.length
    ? `The ${subject} ${killed} of ${plural(faults, "possible fault")}; ${rest.join(", ")}.`
    : `The ${subject} ${faults === 1 ? "the one possible fault" : `all ${faults} possible faults`}.`;
  return { headline: `${range} %`, title: "of faults noticed", sentence, bar: verdictBar() };
}

function verdictBar() {
  const counts = countBy(data.mutants, (mutant) => mutant.verdict);
  const order = ["killed", "vacuous", "unknown", "survived", "not-observed", "gap", "suppressed", "equivalent"];
  return stacked("mutants by verdict", order.filter((one) => counts.get(one)).map((one) =>
    ({ kind: `verdict-${one}`, count: counts.get(one), mark: VERDICTS[one].mark, word: VERDICTS[one].word, means: VERDICTS[one].means })),
  notes());
}

// Those that no property could ever see, and what the others are compared in.
function notes() {
  const outside = data.mutants.filter((one) => one.decided_by === "outside").length;
  const observed = data.options.observe || [];
  return [
    outside ? `${outside} outside: in parts that no property depends on` : null,
    data.score.equivalent ? `equivalent in what is observed: ${observed.length ? observed.join(", ") : "the outputs of the main node that are no properties"}` : null,
  ].filter(Boolean);
}

function coreAnswer() {
  const counts = countBy(data.elements, (element) => roleOf(element) || "outside");
  const needed = ["must", "may", "used"].reduce((sum, role) => sum + (counts.get(role) || 0), 0);
  const all = data.elements.length;
  const outside = counts.get("outside") || 0;
  const unused = counts.get("unused") || 0;
  const rest = [
    unused ? `${unused} could be anything` : null,
    outside ? `of ${outside} no property speaks` : null,
  ].filter(Boolean);
  const sentence = `The proofs need ${needed} of ${plural(all, "element")}${rest.length ? `; ${rest.join(", ")}` : ""}.`;
  const roles = ROLE_ORDER.filter((role) => counts.get(role)).map((role) =>
    ({ kind: `role-${role}`, count: counts.get(role), mark: ROLES[role].mark, word: ROLES[role].word, means: ROLES[role].means }));
  return { headline: `${percent(all ? needed / all : 1)} %`, title: "of the model used by proofs", sentence, bar: stacked("elements by role", roles, []) };
}

function checkAnswer() {
  const counts = countBy(data.properties, (property) => property.verdict);
  const valid = counts.get("valid") || 0;
  const all = data.properties.length;
  const words = Object.keys(PROPERTY_VERDICTS).filter((one) => counts.get(one));
  const sentence = all ? `${words.map((one) => `${counts.get(one)} ${one}`).join(", ")}.` : "There is nothing to check.";
  const kinds = { invalid: "verdict-gap", unknown: "verdict-unknown", vacuous: "verdict-vacuous", valid: "verdict-killed" };
  const bar = stacked("properties by verdict", words.map((one) =>
    ({ kind: kinds[one], count: counts.get(one), mark: PROPERTY_VERDICTS[one].mark, word: one })), []);
  return { headline: `${valid} of ${all}`, title: "properties proved", sentence, bar };
}

function stacked(label, parts, notes) {
  const bar = make("div", { class: "bar", "aria-hidden": "true" },
    parts.map(({ kind, count }) => make("span", { class: kind, style: `flex-grow:${count}` })));
  const legend = make("ul", { class: "legend", "aria-label": label }, parts.map(({ kind, count, mark, word, means }) =>
    make("li", { title: means || null }, make("span", { class: `mark ${kind}`, "aria-hidden": "true" }, mark),
      make("strong", {}, String(count)), ` ${word}`)),
  notes.map((note) => make("li", { class: "small" }, note)));
  return make("div", {}, bar, legend);
}

function cards() {
  const all = [propertiesCard(), coresCard(), vacuityCard(), auditCard(), runCard()].filter(Boolean);
  return make("section", { id: "summary", "aria-labelledby": "summary-title" },
    make("h2", { id: "summary-title" }, "At a glance"), make("div", { class: "cards" }, all));
}

function card(title, state, main, ...rest) {
  return make("div", { class: `card ${state}` }, make("h3", {}, title), make("p", { class: "main" }, main),
    rest.flat().filter(Boolean).map((text) => make("p", { class: "small" }, text)));
}

function propertiesCard() {
  const counts = countBy(data.properties, (property) => property.verdict);
  const words = Object.keys(PROPERTY_VERDICTS).filter((one) => counts.get(one));
  const bad = counts.get("invalid") ? "bad" : words.some((one) => one !== "valid") ? "open" : "good";
  const engines = [...countBy(data.properties.filter((one) => one.engine), (one) => one.engine)];
  return card("Properties", data.properties.length ? bad : "open",
    words.map((one) => `${counts.get(one)} ${one}`).join(", ") || "none",
    engines.map(([engine, count]) => `${count} by ${engine}`).join(", "));
}

function coresCard() {
  if (!coreKeys.length) return null;
  const sizes = data.cores.map((core) => core.elements.length);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const musts = data.elements.filter((element) => roleOf(element) === "must").length;
  const outside = data.elements.filter((element) => roleOf(element) === "outside").length;
  const minimal = data.cores.every((core) => core.minimal) ? "minimal" : "not all known to be minimal";
  const undecided = data.cores.some((core) => (core.must_undecided || []).length);
  return card("Cores", "plain",
    `${least === most ? least : `${least} to ${most}`} of ${plural(data.elements.length, "element")}`,
    `${plural(data.cores.length, "core")} for ${plural(coreKeys.length, "property", "properties")}, ${minimal}`,
    `${musts} MUST${undecided ? ", perhaps more" : ""}; ${outside} outside of every property`);
}

function vacuityCard() {
  const properties = data.properties.filter((one) => one.verdict === "vacuous");
  const cores = data.cores.filter((core) => core.vacuous);
  const told = [
    ...properties.map((one) => `${brief(one.name)}: ${one.reason || "the assumptions contradict each other"}`),
    ...cores.map((core) => `${[].concat(core.property).map(brief).join(", ")}: ${core.vacuous}`),
  ];
  const looked = data.cores.length ? "Assumptions and cores were looked at." : "Assumptions were looked at; ivc looks at cores, too.";
  // The bar above counts vacuous mutants; this card speaks of properties, and says so.
  const mutants = data.mutants.filter((one) => one.verdict === "vacuous").length;
  const apart = mutants ? `${plural(mutants, "mutant is", "mutants are")} vacuous: the fault makes the assumptions contradict each other. They count as killed.` : null;
  return told.length ? card("Vacuity", "bad", `${plural(told.length, "property", "properties")} vacuous`, told.slice(0, 5), apart)
    : card("Vacuity", "good", "no property is vacuous", looked, apart);
}

function auditCard() {
  const settled = data.properties.filter((one) => one.verdict === "valid" || one.verdict === "invalid");
  const skipped = settled.filter((one) => one.audit !== "passed").length;
  if (!data.audit) return card("Audit", "open", settled.length ? "not audited" : "nothing to audit");
  return card("Audit", skipped ? "open" : "good", skipped ? `${skipped} of ${settled.length} not audited` : "passed",
    `by ${data.audit.by.join(", ")}`, `in ${duration(data.audit.seconds)}`);
}

function runCard() {
  const { mutators } = data.options;
  return card("Run", "plain", duration(data.seconds),
    `proofmark ${data.tool.version}, solver ${data.tool.solver}`,
    data.mutants.length ? `${plural(data.mutants.length, "mutant")}${typeof mutators === "string" ? `, mutators ${mutators}` : ""}` : null,
    data.shard ? `part ${data.shard.number} of ${data.shard.of}` : null);
}

function propertiesSection() {
  const kills = new Map(propertyNames.map((name) => [name, 0]));
  for (const mutant of data.mutants) {
    for (const name of propertyNames) if (noticedBy(mutant, name)) kills.set(name, kills.get(name) + 1);
  }
  const order = Object.keys(PROPERTY_VERDICTS);
  const cores = (one) => coresOf(one.name).map((core) => core.elements.length);
  const columns = [
    { title: "Property", key: (one) => one.name, cell: (one) => (one.origin ? toLine(one.origin, brief(one.name)) : brief(one.name)) },
    { title: "Verdict", key: (one) => order.indexOf(one.verdict), cell: (one) => badge(PROPERTY_VERDICTS, one.verdict) },
    { title: "Engine", key: (one) => one.engine || "", cell: (one) => one.engine || "–" },
    { title: "k or step", class: "right", key: (one) => one.k ?? one.step ?? -1, cell: (one) => (one.k !== null ? `k = ${one.k}` : one.step !== null ? `step ${one.step}` : "–") },
    { title: "Audit", key: (one) => one.audit },
    ...(coreKeys.length ? [{ title: "Core", class: "right", hint: "elements in the smallest core", key: (one) => Math.min(Infinity, ...cores(one)), cell: (one) => (cores(one).length ? String(Math.min(...cores(one))) : "–") }] : []),
    ...(data.mutants.length ? [{ title: "Notices", class: "right", hint: "mutants killed", key: (one) => kills.get(one.name), cell: (one) => String(kills.get(one.name)) }] : []),
    { title: "Time", class: "right", key: (one) => one.seconds, cell: (one) => duration(one.seconds) },
  ];
  return make("section", { id: "properties", "aria-labelledby": "properties-title" },
    make("h2", { id: "properties-title" }, "Properties"),
    ...sortable("Properties, their verdicts and proofs", columns, data.properties, { unfolded: propertyMore, size: 100, stacks: true }),
    ...worth());
}

// What there is to unfold below a property.
function propertyMore(one) {
  const invariants = one.invariants.length;
  const blocked = one.verdict === "vacuous";
  const title = one.trace ? (blocked ? "blocked run" : "counterexample") : one.induction ? "failed induction" : invariants ? plural(invariants, "invariant") : one.reason ? "why" : null;
  if (!title) return null;
  const draw = () => {
    const parts = [];
    if (one.reason) parts.push(make("p", {}, one.reason));
    if (one.trace && blocked) parts.push(make("p", {}, `The assumptions accept this run up to step ${one.step} and no step after it:`), waveform(`blocked run of ${one.name}`, one.trace));
    else if (one.trace) parts.push(make("p", {}, `A run in which ${brief(one.name)} is false at step ${one.step}:`), waveform(`counterexample to ${one.name}`, one.trace));
    if (one.induction) {
      parts.push(make("p", {}, "States on which the induction fails; the first need not be reachable, so this is no run:"),
        waveform(`failed induction of ${one.name}`, one.induction));
    }
    if (invariants) parts.push(make("p", {}, "Invariants of the proof:"), make("ul", {}, one.invariants.map((text) => make("li", {}, make("code", {}, text)))));
    return parts;
  };
  return { title, draw };
}

// What the properties are worth beside each other, when that was asked for.
function worth() {
  if (!data.worth) return [];
  const { redundant, smallest, exact, unknown } = data.worth;
  const names = (list) => list.map(brief).join(", ") || "none";
  return [make("p", {}, `Add nothing to the score, each by itself: ${names(redundant)}. `
    + `${exact ? "The fewest" : "Few"} properties with the same score: ${names(smallest)}.`
    + (unknown ? ` ${plural(unknown, "cell")} of the matrix not known.` : ""))];
}

// Assumptions are no part of the score: a table of their own says which of them the properties need.
function assumptionsSection() {
  if (!data.assumptions.length) return null;
  const order = Object.keys(ASSUMPTION_VERDICTS);
  const told = (one) => [
    one.needed_by.length ? `needed by ${one.needed_by.map(brief).join(", ")}` : null,
    one.verdict === "not-needed" ? "needed by no property: it can go" : null,
    one.verdict === "unknown" ? one.reason || "it was not removed" : null,
    ...one.weaker.map(([from, to]) => `${to} for ${from} suffices`),
    one.tighter ? `${plural(one.tighter, "change")} made it tighter, which no property can notice` : null,
    one.suppressed ? `suppressed: ${one.suppressed}` : null,
  ].filter(Boolean).join("; ");
  const columns = [
    { title: "Place", key: (one) => one.place, cell: (one) => (one.origin.file ? toLine(one.origin, one.place) : one.place) },
    { title: "Assumption", key: (one) => one.text, cell: (one) => make("code", {}, one.text) },
    { title: "Verdict", key: (one) => order.indexOf(one.verdict), cell: (one) => badge(ASSUMPTION_VERDICTS, one.verdict) },
    { title: "What is known", key: told, cell: told },
  ];
  return make("section", { id: "assumptions", "aria-labelledby": "assumptions-title" },
    make("h2", { id: "assumptions-title" }, "Assumptions"),
    make("p", { class: "small" }, "Changed assumptions are no faults and not part of the score; they show which assumptions the properties need."),
    ...sortable("Assumptions and what needs them", columns, data.assumptions, { stacks: true }));
}

function runSection() {
  const row = (name, value) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value));
  const text = (value) => (value === null || value === "" || (Array.isArray(value) && !value.length) ? "–" : Array.isArray(value) ? value.join(", ") : String(value));
  const decided = [...countBy(data.mutants, (one) => one.decided_by)].map(([by, count]) => `${count} ${by}`).join(", ");
  return make("section", { id: "run", "aria-labelledby": "run-title" }, make("h2", { id: "run-title" }, "The run"),
    scroller("The run and its options", make("table", { class: "plain" }, make("caption", { class: "hidden" }, "The run and its options"), make("tbody", {},
      row("version", `proofmark ${data.tool.version}`), row("solver", data.tool.solver), row("time", duration(data.seconds)),
      row("audited by", data.audit ? data.audit.by.join(", ") : "nobody"),
      data.audit && data.audit.differs ? row("the auditor is", data.audit.differs) : null, row("outcome", data.outcome),
      data.inputs.map((input) => row("input", make("span", {}, `${input.file} `, make("span", { class: "small hash" }, `SHA-256 ${input.hash}`)))),
      decided ? row("decided by", decided) : null,
      Object.entries(data.options).map(([name, value]) => row(`option ${name}`, text(value)))))));
}

function legendSection() {
  const list = (kinds) => make("dl", {}, Object.keys(kinds).map((kind) => [make("dt", {}, badge(kinds, kind)), make("dd", {}, kinds[kind].means)]));
  return make("section", { id: "words", "aria-labelledby": "words-title" }, make("h2", { id: "words-title" }, "What the words mean"),
    make("h3", {}, "Elements"), list(ROLES), make("h3", {}, "Mutants"), list(VERDICTS), make("h3", {}, "Assumptions"), list(ASSUMPTION_VERDICTS),
    ...(jointCoverage.length ? [make("h3", {}, "Coverage"), list(COVERAGE)] : []));
}
