// A mutant in full: the line before and after, a run, what would notice it; and the list of those
// that nothing notices.

const texts = new Map(data.files.map((file) => [file.name, file.text.replace(/\r?\n$/, "").split(/\r?\n/)]));

const place = ({ at, origin }) => (at ? `${at.line}:${at.column}` : `${origin.name}:${origin.index}`);

function toLine(span, text) {
  const file = data.files.findIndex((one) => one.name === span.file);
  return file < 0 ? make("span", {}, text) : make("a", { href: `#${lineId(file, span.line)}` }, text);
}

const lineId = (file, line) => (file === 0 ? `L${line}` : `F${file}L${line}`);

// A mutant as a fold: one line that tells what and how, and everything else below.
function mutantFold(mutant) {
  const by = (mutant.killed_by || []).length ? ` by ${mutant.killed_by.join(", ")}` : "";
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
    parts.push(make("p", {}, `On the mutant ${(mutant.killed_by || []).join(", ")} is false at step ${mutant.step ?? 0}:`));
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
    ` · ${mutant.id} · decided by ${mutant.decided_by}${audit(mutant.audit)} · ${plural(mutant.queries, "query", "queries")} · ${duration(mutant.seconds)} `,
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

// Suggested properties with the gaps they close and how many more than those before; each next one
// adds the most. After a few the rest follow by what they close alone.
function rankedSuggestions() {
  const closed = new Map();
  for (const mutant of data.mutants) {
    for (const text of mutant.suggestions || []) {
      if (!closed.has(text)) closed.set(text, []);
      closed.get(text).push(mutant);
    }
  }
  const left = [...closed].sort(([, one], [, other]) => other.length - one.length);
  const noticed = new Set();
  const ranked = [];
  const fresh = ([, gaps]) => gaps.filter((gap) => !noticed.has(gap)).length;
  while (left.length && ranked.length < 20) {
    const best = left.reduce((one, other) => (fresh(other) > fresh(one) ? other : one));
    ranked.push({ text: best[0], count: best[1].length, more: fresh(best) });
    best[1].forEach((gap) => noticed.add(gap));
    left.splice(left.indexOf(best), 1);
  }
  return [...ranked, ...left.map(([text, gaps]) => ({ text, count: gaps.length, more: 0 }))];
}

function gapsSection() {
  const order = Object.keys(VERDICTS);
  const open = data.mutants.filter((one) => ["gap", "survived", "not-observed", "unknown"].includes(one.verdict));
  if (!data.mutants.length) return null;
  open.sort((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
  const section = make("section", { id: "gaps", "aria-labelledby": "gaps-title" },
    make("h2", { id: "gaps-title" }, "What slips through"));
  if (!open.length) {
    section.append(make("p", {}, "Nothing: every mutant is noticed or proved to be no fault."));
    return section;
  }
  const ranked = rankedSuggestions();
  if (ranked.length) {
    const gaps = open.filter((one) => one.verdict === "gap").length;
    const adding = ranked.filter(({ more }) => more > 0);
    const together = adding.reduce((sum, { more }) => sum + more, 0);
    section.append(make("h3", {}, "Properties that would close gaps"),
      make("p", {}, `${adding.length === 1 ? "This one notices" : `The first ${adding.length} together notice`} ${together} of ${plural(gaps, "gap")}.`),
      make("p", { class: "small" }, "Proved on the model as it is; paste them into it. Each next one adds the most."));
    const list = make("div");
    section.append(list, inPortions(ranked, Math.min(5, adding.length), list, ({ text, count, more }) =>
      suggestion(text, `notices ${count} of ${plural(gaps, "gap")}${more < count ? `, ${more || "none"} of them new` : ""}`)));
  }
  section.append(make("h3", {}, `${plural(open.length, "fault")} that no property notices, or may not`));
  const list = make("div", { class: "mutants" });
  const more = inPortions(open, 25, list, mutantFold);
  section.append(list, more);
  if (open[0]) list.firstChild.unfold();
  return section;
}
