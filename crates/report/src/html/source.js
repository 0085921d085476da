// The source: every element marked by what it is to the proofs, and every mutant in place, folded
// under its line.


// Whether lines without mutants are hidden.
let onlyMutants = false;

function sourceSection() {
  const section = make("section", { id: "source", "aria-labelledby": "source-title" },
    make("h2", { id: "source-title" }, data.mutants.length ? "Source and mutants" : "Source"));
  if (!data.files.length) {
    section.append(make("p", {}, "There is no text to show: the model is binary, or its text was not at hand when this page was written."));
    return section;
  }
  const views = data.files.map((file, at) => fileView(file, at));
  const boxes = views.flatMap((view, at) => (views.length > 1 ? [make("h3", {}, data.files[at].name), view.box] : [view.box]));
  section.append(sourceBar(views), ...boxes);
  return section;
}

// The lines of a file, and how to show them again after the filter has changed.
function fileView(file, at) {
  const lines = texts.get(file.name);
  const byLine = new Map();
  for (const mutant of data.mutants) {
    if (mutant.origin.file !== file.name) continue;
    const { line } = mutant.at || mutant.origin;
    if (!byLine.has(line)) byLine.set(line, []);
    byLine.get(line).push(mutant);
  }
  // Mutants colour their lines; where there are none, elements are coloured by their roles.
  const elements = data.mutants.length ? [] : data.elements.filter((one) => one.origin && one.origin.file === file.name);
  const box = make("div", { class: "source", role: "group", "aria-label": `Text of ${file.name}` });
  // Columns as wide as they must be, the same for all lines.
  const kinds = [...byLine.values()].map((list) => new Set(list.map((mutant) => mutant.verdict)).size);
  box.style.setProperty("--digits", String(lines.length).length);
  box.style.setProperty("--marks", elements.length || kinds.length ? "4.6rem" : "0rem");
  box.style.setProperty("--counts", `${kinds.length ? 1.5 + 2.2 * Math.max(...kinds) : 0}rem`);
  const rows = lines.map((text, index) => lineView(at, index + 1, byLine.get(index + 1) || []));
  box.append(...rows.map((row) => row.line));
  const paint = () => paintLines(lines, elements, rows);
  paint();
  return { box, rows, paint };
}

function lineView(file, number, mutants) {
  const code = make("code", { class: "code" });
  const mark = make("span", { class: "element" });
  const slot = make("span", { class: "slot" });
  const line = make("div", { class: "line", id: lineId(file, number) },
    make("a", { class: "number", href: `#${lineId(file, number)}`, "aria-label": `Line ${number}` }, String(number)),
    mark, slot, code);
  const view = { line, code, mark, mutants };
  if (mutants.length) {
    mutantSlot(view, slot, number);
    paintShare(view);
  }
  return view;
}

// The button that unfolds the mutants of a line; the filter fills it in.
function mutantSlot(view, slot, number) {
  const order = Object.keys(VERDICTS);
  view.mutants.sort((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
  const id = identity("mutants");
  const button = make("button", { type: "button", class: "count", "aria-expanded": "false", "aria-controls": id });
  const below = make("div", { id, class: "mutants", hidden: true });
  slot.append(button);
  view.line.append(below);
  view.refresh = () => {
    const matching = view.mutants.filter(passes);
    const counts = countBy(matching, (mutant) => mutant.verdict);
    const kinds = order.filter((one) => counts.get(one));
    const words = kinds.map((one) => `${counts.get(one)} ${VERDICTS[one].word}`).join(", ");
    button.replaceChildren(
      make("span", { class: "hidden" }, `Mutants of line ${number}: ${words}`),
      ...kinds.map((one) => make("span", { class: `mini verdict-${one}`, "aria-hidden": "true" }, `${VERDICTS[one].mark}${counts.get(one)}`)));
    button.title = words;
    button.hidden = !matching.length;
    view.line.hidden = onlyMutants && !matching.length;
    view.matching = matching;
    view.drawn = false;
    if (view.open) view.show(matching.length > 0);
  };
  view.show = (open) => {
    view.open = open;
    below.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open && !view.drawn) {
      view.drawn = true;
      below.replaceChildren();
      const more = inPortions(view.matching, 50, below, mutantFold);
      if (!more.hidden) below.after(more);
    }
  };
  button.addEventListener("click", () => view.show(!view.open));
}

// How much of what counts slips through, from nothing to all.
const SHARES = {
  none: { word: "all noticed", upTo: 0 },
  some: { word: "some slip through", upTo: 0.4999 },
  half: { word: "half or more slip through", upTo: 0.9999 },
  all: { word: "all slip through", upTo: 1 },
};

// Colours a line by the share of its mutants that slip through, and tells the share.
function paintShare({ line, mark, mutants }) {
  const counted = mutants.filter(isCounted);
  const settled = counted.filter((one) => one.verdict !== "unknown");
  if (!settled.length) return;
  const open = settled.filter(isOpen).length;
  const share = open / settled.length;
  const kind = Object.keys(SHARES).find((one) => share <= SHARES[one].upTo);
  line.classList.add(`slip-${kind}`);
  const shown = open ? `${Math.max(1, Math.round(100 * share))} %` : "✓";
  mark.append(make("span", { class: "chip", title: `${open} of ${plural(settled.length, "mutant")} of this line slip through` },
    shown, make("span", { class: "hidden" }, open ? " slip through" : "all noticed")));
}

function shareLegend() {
  return make("ul", { class: "legend", "aria-label": "How much slips through" }, Object.keys(SHARES).map((kind) =>
    make("li", { class: `slip-${kind}` }, make("span", { class: "chip" }, kind === "none" ? "✓" : kind === "all" ? "100 %" : "%"), ` ${SHARES[kind].word}`)));
}

// Which element each character belongs to, the innermost one; larger ones are painted first.
function paintLines(lines, elements, rows) {
  const owners = lines.map((text) => new Array([...text].length).fill(null));
  const size = ({ origin }) => (origin.end_line - origin.line) * 10000 + origin.end_column - origin.column;
  const merged = bySpan(elements);
  merged.sort((one, other) => size(other) - size(one));
  const starts = new Map();
  for (const element of merged) {
    const { line, column, end_line: endLine, end_column: endColumn } = element.origin;
    for (let at = line; at <= Math.min(endLine, lines.length); at++) {
      const end = at === endLine ? endColumn - 1 : owners[at - 1].length;
      owners[at - 1].fill(element, at === line ? column - 1 : 0, end);
    }
    if (element.shown) starts.set(line, [...(starts.get(line) || []), element]);
  }
  rows.forEach((row, index) => {
    paintLine(row.code, lines[index], owners[index]);
    if (!data.mutants.length) paintMark(row.mark, starts.get(index + 1) || []);
  });
}

// The instances of an equation are one place in the source; the strongest role is shown.
function bySpan(elements) {
  const places = new Map();
  for (const element of elements) {
    const { line, column, end_line: endLine, end_column: endColumn } = element.origin;
    const key = [line, column, endLine, endColumn].join(" ");
    const known = places.get(key);
    const role = roleOf(element, coreKeys.includes(filter.property) ? filter.property : "");
    if (known) {
      known.names.push(element.name);
      known.shown = strongest([known.shown, role]);
    } else places.set(key, { origin: element.origin, names: [element.name], shown: role });
  }
  return [...places.values()];
}


function paintLine(code, text, owners) {
  const characters = [...text];
  const parts = [];
  let from = 0;
  for (let at = 1; at <= characters.length; at++) {
    if (at < characters.length && owners[at] === owners[from]) continue;
    const piece = characters.slice(from, at).join("");
    const owner = owners[from];
    const role = owner && owner.shown && (piece.trim() || at < characters.length) ? `role-${owner.shown}` : "";
    parts.push(role ? make("span", { class: role, title: `${ROLES[owner.shown].word}: ${owner.names.join(", ")}` }, piece) : piece);
    from = at;
  }
  code.replaceChildren(...(parts.length ? parts : [" "]));
}

function paintMark(mark, elements) {
  const role = strongest(elements.map((element) => element.shown));
  mark.replaceChildren(...(role ? [make("span", { class: `role-${role}`, title: ROLES[role].means }, ROLES[role].word)] : []));
}

// What is chosen here is for the source alone; the filter of the mutants is the one of the whole page.
function sourceBar(views) {
  const rows = views.flatMap((view) => view.rows);
  const apply = () => rows.forEach((row) => {
    if (row.refresh) row.refresh();
    else row.line.hidden = onlyMutants && data.mutants.length > 0;
  });
  onFilter(apply);
  if (!data.mutants.length) {
    onFilter(() => views.forEach((view) => view.paint()));
    const parts = [coreKeys.length > 1 ? propertyChoice() : null, roleLegend()].filter(Boolean);
    return make("div", { class: "filters", role: parts.length ? "group" : null, "aria-label": parts.length ? "What is shown in the source" : null }, parts);
  }
  const bar = make("div", { class: "filters", role: "group", "aria-label": "What is shown in the source" },
    onlyChoice(apply), foldButtons(rows), shareLegend());
  // Where nothing slips through there is no list of gaps to hold the filter.
  return data.mutants.some(isOpen) ? bar : make("div", {}, filterBar(), bar);
}

function onlyChoice(apply) {
  const box = make("input", { type: "checkbox" });
  box.addEventListener("change", () => {
    onlyMutants = box.checked;
    apply();
  });
  return make("label", {}, box, " only lines with mutants");
}

function foldButtons(rows) {
  const folded = (open) => () => rows.forEach((row) => row.show && row.show(open && row.matching.length > 0));
  return make("span", { class: "buttons" },
    make("button", { type: "button", class: "unfold", onclick: folded(true) }, "Unfold all"),
    make("button", { type: "button", class: "fold", onclick: folded(false) }, "Fold all"));
}

function roleLegend() {
  const present = ROLE_ORDER.filter((role) => data.elements.some((element) => Object.values(element.role || {}).includes(role)));
  if (!present.length) return null;
  return make("ul", { class: "legend", "aria-label": "What elements are to the proofs" }, present.map((role) =>
    make("li", {}, make("span", { class: `role-${role} chip` }, ROLES[role].word), ` ${ROLES[role].means}`)));
}
