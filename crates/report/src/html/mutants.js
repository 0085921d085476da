// A mutant in full: the line before and after, a run, what would notice it; and the list of those
// that nothing notices.

const texts = new Map(data.files.map((file) => [file.name, file.text.replace(/\r?\n$/, "").split(/\r?\n/)]));

// Line and column, or the name of what has no text.
function place({ at, origin }) {
  const shown = at || (origin.file ? origin : null);
  return shown ? `${shown.line}:${shown.column}` : `${origin.name}:${origin.index}`;
}

function toLine(span, text) {
  const file = data.files.findIndex((one) => one.name === span.file);
  return file < 0 ? make("span", {}, text) : make("a", { href: `#${lineId(file, span.line)}` }, text);
}

const lineId = (file, line) => (file === 0 ? `L${line}` : `F${file}L${line}`);

// A mutant as a fold: one line that tells what and how, and everything else below.
function mutantFold(mutant) {
  const by = (mutant.killed_by || []).length ? ` by ${mutant.killed_by.map(brief).join(", ")}` : "";
  const summary = [
    badge(VERDICTS, mutant.verdict), " ",
    make("span", { class: "place" }, place(mutant)), " ",
    make("span", { class: "mutator" }, mutant.label), " ",
    make("code", { class: "change" }, make("del", {}, short(mutant.original)), " → ", make("ins", {}, short(mutant.replacement))),
    by ? make("span", { class: "by" }, by) : null,
  ];
  return fold({ class: "mutant", "data-id": mutant.id }, summary, () => mutantBody(mutant));
}

function short(text) {
  const characters = [...text];
  return characters.length <= 60 ? text : characters.slice(0, 59).join("") + "…";
}

function mutantBody(mutant) {
  const parts = [change(mutant)];
  if (mutant.note) parts.push(make("p", {}, mutant.note));
  if (mutant.verdict === "gap") {
    const what = (mutant.differs || []).join(", ");
    parts.push(make("p", {}, `No property notices that ${what} differs at step ${mutant.step ?? 0}:`));
  } else if (mutant.verdict === "killed") {
    parts.push(make("p", {}, `On the mutant ${(mutant.killed_by || []).map(brief).join(", ")} is false at step ${mutant.step ?? 0}:`));
  }
  if (mutant.suppressed) parts.push(make("p", {}, `Suppressed: ${mutant.suppressed}`));
  if (mutant.covers) {
    parts.push(make("p", {}, `The run takes ${mutant.covers.taken} of ${mutant.covers.branches} branches and satisfies every property.`));
  }
  if (mutant.reason) parts.push(make("p", {}, mutant.reason));
  if (mutant.trace) {
    const label = mutant.original_trace ? `original and mutant ${mutant.id} on the same inputs` : `a run of mutant ${mutant.id}`;
    parts.push(waveform(label, mutant.trace, { original: mutant.original_trace, first: mutant.differs }));
  }
  if (mutant.suggestions) {
    parts.push(make("p", {}, "Holds on the original, and would notice:"));
    parts.push(...mutant.suggestions.map((text) => suggestion(text)));
  }
  parts.push(make("p", { class: "small" }, toLine(mutant.origin, mutant.at ? `line ${mutant.at.line}` : place(mutant)),
    ` · ${brief(mutant.id)} · decided by ${mutant.decided_by}${audit(mutant.audit)} · ${plural(mutant.queries, "query", "queries")} · ${duration(mutant.seconds)} `,
    copyButton(mutant.id, "the id of the mutant")));
  return parts;
}

// Who checked the verdict again.
function audit(found) {
  if (!found) return "";
  return found.result === "passed" ? ` · audited by ${found.by}` : ` · not audited: ${found.reason}`;
}

function suggestion(text, note) {
  return make("div", { class: "suggestion" }, make("pre", { tabindex: "0" }, text),
    copyButton(text, "the property"), note ? make("span", { class: "small" }, note) : null);
}

// The lines of the source before and after.
function change(mutant) {
  const { file, line, column, end_line: endLine, end_column: endColumn } = mutant.origin;
  const text = texts.get(file);
  const row = (sign, word, content) => make("div", { class: `diff ${word}` },
    make("span", { class: "sign", "aria-hidden": "true" }, sign), make("span", { class: "hidden" }, `${word}: `), make("code", {}, content));
  const box = (rows) => make("div", { class: "diffs" }, rows);
  if (!text || !text[endLine - 1]) {
    return box([row("−", "original", make("del", {}, mutant.original)), row("+", "mutant", make("ins", {}, mutant.replacement))]);
  }
  const before = [...text[line - 1]].slice(0, column - 1).join("");
  const after = [...text[endLine - 1]].slice(endColumn - 1).join("");
  const middle = text.slice(line - 1, endLine).join("\n");
  const replaced = [...middle].slice(column - 1, [...middle].length - [...after].length).join("");
  return box([
    row("−", "original", [before.trimStart(), make("del", {}, replaced), after]),
    row("+", "mutant", [before.trimStart(), make("ins", {}, mutant.replacement), after]),
  ]);
}

// What slips through: the properties to add, then the gaps by equation, ranked as in the text.
function gapsSection() {
  if (!data.mutants.length) return null;
  const section = make("section", { id: "gaps", "aria-labelledby": "gaps-title" },
    make("h2", { id: "gaps-title" }, "What slips through"));
  const open = data.mutants.filter(isOpen);
  if (!open.length) {
    section.append(make("p", {}, "Nothing: every mutant is noticed or proved to be no fault."));
    return section;
  }
  section.append(...remedies(), make("h3", {}, openInWords(open)), filterBar());
  const list = make("div", { class: "groups" });
  section.append(list);
  onFilter(() => drawGroups(list));
  const first = list.querySelector("details.mutant");
  if (first) first.unfold();
  return section;
}

// `90 gaps in 12 equations, 3 undecided`
function openInWords(open) {
  const { gap, survived, not_observed: notObserved, unknown } = data.score;
  const groups = data.digest.groups.length;
  const parts = [
    gap ? plural(gap, "gap") : null,
    survived ? `${survived} survived` : null,
    notObserved ? `${notObserved} not observed` : null,
  ].filter(Boolean).join(" and ");
  const where = groups ? `${parts} in ${plural(groups, "equation")}` : null;
  return [where, unknown ? `${unknown} undecided` : null].filter(Boolean).join(", ") || plural(open.length, "mutant");
}

function remedies() {
  const all = data.digest.remedies;
  if (!all.length) return [];
  const gaps = data.digest.groups.reduce((sum, group) => sum + group.gaps.length, 0);
  const closed = all.reduce((sum, one) => sum + one.closes.length, 0);
  const list = make("div");
  const model = (one) => (paths.length > 1 ? `for ${lastPart(data.mutants[one.closes[0]].origin.file || "")}: ` : "");
  const more = inPortions(all, 4, list, (one) => suggestion(one.property,
    `${model(one)}closes at least ${plural(one.closes.length, one === all[0] ? "gap" : "other gap")}; score at least ${percent(one.score)} %`));
  return [
    make("h3", {}, "Properties to add"),
    make("p", {}, `${all.length === 1 ? "This property closes at least" : `These ${all.length} properties together close at least`} ${closed} of ${plural(gaps, "gap")}. Each is proved on the model as it is; paste it into the model. The score counts it and all above it.`),
    list, more,
  ];
}

// The groups that have something to show, as the filter is now.
function drawGroups(list) {
  const undecided = data.mutants.filter((one) => one.verdict === "unknown" && passes(one));
  const groups = data.digest.groups
    .map((group) => ({ ...group, shown: group.gaps.map((at) => data.mutants[at]).filter(passes) }))
    .filter((group) => group.shown.length);
  const all = groups.reduce((sum, group) => sum + group.shown.length, 0) + undecided.length;
  // A few are shown at once; of many each group shows what is most telling.
  const size = all <= 25 ? 25 : 3;
  list.replaceChildren();
  if (undecided.length) groups.push({ undecided: true, shown: undecided });
  if (!groups.length) list.append(make("p", {}, "No gap passes the filter."));
  else list.append(inPortions(groups, 8, list, (group) => drawGroup(group, size), { what: "equations" }));
}

function drawGroup(group, size) {
  const mutants = make("div", { class: "mutants" });
  const more = inPortions(group.shown, size, mutants, mutantFold, { next: 25, what: "here" });
  const title = group.undecided ? ["Undecided"] : groupTitle(group);
  return make("div", { class: "group" }, make("h4", {}, title), mutants, more);
}

function groupTitle({ element, line, text, gaps }) {
  const { total, equivalent } = element.score;
  return [
    make("code", {}, text || element.name), " ",
    make("span", { class: "small" }, `${gaps.length} of ${total - equivalent} slip through · ${brief(element.name)}${line ? ` · line ${line}` : ""}`),
  ];
}
