// One filter for all mutants of the page: the list of gaps and the source show what passes it. Its
// parts combine: words that somebody looks for, verdicts, a node, a mutator, a property.

const filter = { words: [], verdicts: new Set(Object.keys(VERDICTS)), node: "", mutator: "", property: "" };
const filtered = [];

// Calls this now and whenever the filter changes.
function onFilter(apply) {
  filtered.push(apply);
  apply();
}

const refilter = () => filtered.forEach((apply) => apply());

function passes(mutant) {
  return filter.verdicts.has(mutant.verdict) && (!filter.node || mutant.node === filter.node)
    && (!filter.mutator || mutant.mutator === filter.mutator)
    && (!filter.property || noticedBy(mutant, filter.property) || mutant.verdict !== "killed")
    && filter.words.every((word) => searchedIn(mutant).includes(word));
}

// What words are looked for in.
function searchedIn(mutant) {
  if (!mutant.searched) {
    const { id, label, original, replacement, differs = [], killed_by: killedBy = [], reason } = mutant;
    const parts = [id, place(mutant), label, original, replacement, ...differs, ...killedBy, reason || ""];
    Object.defineProperty(mutant, "searched", { value: parts.join("\n").toLowerCase() });
  }
  return mutant.searched;
}

function filterBar() {
  const status = make("p", { class: "small", role: "status" });
  onFilter(() => {
    status.textContent = `${data.mutants.filter(passes).length} of ${plural(data.mutants.length, "mutant")} shown`;
  });
  const nodes = countBy(data.mutants, (mutant) => mutant.node);
  return make("div", { class: "filters", role: "group", "aria-label": "Which mutants are shown" },
    searchBox(), verdictToggles(),
    nodes.size > 1 ? countedChoice("Node", nodes, (value) => (filter.node = value)) : null,
    countedChoice("Mutator", countBy(data.mutants, (mutant) => mutant.mutator), (value) => (filter.mutator = value)),
    propertyChoice(), status);
}

function searchBox() {
  const input = make("input", { type: "search", placeholder: "name, line, change, id" });
  let waiting;
  input.addEventListener("input", () => {
    // Whoever types on does not wait for what is not wanted any more.
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      filter.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      refilter();
    }, 100);
  });
  return make("label", {}, "Search ", input);
}

function verdictToggles() {
  const number = countBy(data.mutants, (mutant) => mutant.verdict);
  const kinds = Object.keys(VERDICTS).filter((one) => number.get(one));
  const buttons = kinds.map((one) => {
    const button = make("button", { type: "button", class: "filter", "data-verdict": one, "aria-pressed": "true", title: VERDICTS[one].means },
      make("span", { class: `mark verdict-${one}`, "aria-hidden": "true" }, VERDICTS[one].mark), `${VERDICTS[one].word} ${number.get(one)}`);
    button.addEventListener("click", () => {
      const on = !filter.verdicts.has(one);
      if (on) filter.verdicts.add(one);
      else filter.verdicts.delete(one);
      button.setAttribute("aria-pressed", String(on));
      refilter();
    });
    return button;
  });
  return make("div", { class: "toggles", role: "group", "aria-label": "Verdicts" }, buttons);
}

function choice(label, options, chosen) {
  const select = make("select", { "data-filter": label }, options.map(([value, text]) => make("option", { value }, text)));
  select.addEventListener("change", () => {
    chosen(select.value);
    refilter();
  });
  return make("label", {}, `${label} `, select);
}

function countedChoice(label, number, chosen) {
  const names = [...number].sort(([one], [other]) => (one < other ? -1 : 1));
  return choice(label, [["", "all"], ...names.map(([name, count]) => [name, `${name} (${count})`])], chosen);
}

// Of a property: what the elements are to it, and of the killed mutants those that it kills.
function propertyChoice() {
  return choice("Property", [["", "all"], ...propertyNames.map((name) => [name, brief(name)])], (value) => (filter.property = value));
}
