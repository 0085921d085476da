// The traceability matrix: what each element is to each property, and what became of its mutants;
// and how often each mutator was noticed.

function matrixSection() {
  if (!coreKeys.length) return null;
  const own = new Map(data.elements.map((element) => [element.id, { killed: 0, open: 0 }]));
  for (const mutant of data.mutants) {
    const counts = own.get(mutant.element);
    if (!counts) continue;
    if (mutant.verdict === "killed" || mutant.verdict === "vacuous") counts.killed++;
    if (["gap", "survived", "not-observed", "unknown"].includes(mutant.verdict)) counts.open++;
  }
  const rank = (element, key) => {
    const at = ROLE_ORDER.indexOf(element.role[key]);
    return at < 0 ? ROLE_ORDER.length : at;
  };
  const cell = (role) => (role
    ? make("span", { class: `role-${role} chip`, title: `${ROLES[role].word}: ${ROLES[role].means}` },
      make("span", { "aria-hidden": "true" }, ROLES[role].mark), make("span", { class: "hidden" }, ROLES[role].word)) : "");
  const columns = [
    { title: "Element", key: (one) => one.name, cell: (one) => make("code", {}, one.origin ? toLine(one.origin, brief(one.name)) : brief(one.name)) },
    { title: "Line", class: "right", key: (one) => ((one.origin && one.origin.line) || 0) },
    { title: "Kind", key: (one) => one.category },
    ...coreKeys.map((key) => ({ title: brief(key), class: "upright", hint: key, key: (one) => rank(one, key), cell: (one) => cell(one.role[key]) })),
    ...(data.mutants.length ? [
      { title: "Killed", class: "right", hint: "mutants of it that a property notices", key: (one) => own.get(one.id).killed },
      { title: "Open", class: "right", hint: "mutants of it that slip through or are not decided", key: (one) => own.get(one.id).open },
    ] : []),
  ];
  return make("section", { id: "matrix", "aria-labelledby": "matrix-title" },
    make("h2", { id: "matrix-title" }, "Traceability"),
    make("p", { class: "small" }, "Which elements the proof of each property rests on. A head sorts by its column."),
    roleLegend(),
    ...sortable("Elements by properties", columns, data.elements, { size: 150, fits: true }));
}

function mutatorsSection() {
  if (!data.mutants.length) return null;
  const rows = new Map();
  for (const mutant of data.mutants) {
    if (!rows.has(mutant.mutator)) rows.set(mutant.mutator, { name: mutant.mutator, counts: {}, all: 0 });
    const row = rows.get(mutant.mutator);
    row.counts[mutant.verdict] = (row.counts[mutant.verdict] || 0) + 1;
    row.all++;
  }
  const noticed = (one) => (one.counts.killed || 0) + (one.counts.vacuous || 0);
  const relevant = (one) => one.all - (one.counts.equivalent || 0) - (one.counts["not-valid"] || 0);
  const share = (one) => (relevant(one) ? noticed(one) / relevant(one) : 1);
  const present = Object.keys(VERDICTS).filter((kind) => [...rows.values()].some((one) => one.counts[kind]));
  const columns = [
    { title: "Mutator", key: (one) => one.name },
    ...present.map((kind) => ({ title: VERDICTS[kind].word, class: "right", hint: VERDICTS[kind].means, key: (one) => one.counts[kind] || 0 })),
    { title: "Noticed", class: "right", hint: "of those that are no equivalents", key: share,
      cell: (one) => (relevant(one) ? `${percent(share(one))} %` : "–") },
  ];
  const list = [...rows.values()].sort((one, other) => share(one) - share(other));
  return make("section", { id: "mutators", "aria-labelledby": "mutators-title" },
    make("h2", { id: "mutators-title" }, "Mutators"), ...sortable("Mutants by mutator and verdict", columns, list));
}
