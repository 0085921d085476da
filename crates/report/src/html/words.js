// What the page is drawn from, and the words and marks it uses. A mark stands beside every colour,
// so that nothing is told by colour alone.

const data = JSON.parse(document.getElementById("data").textContent);

// In the order of what wants to be looked at.
const VERDICTS = {
  gap: { word: "gap", mark: "✗", means: "does something else than the original, and no property notices" },
  survived: { word: "survived", mark: "~", means: "no property notices; whether it is equivalent is not known" },
  "not-observed": { word: "not observed", mark: "◌", means: "no property notices, and nothing but properties is observed; counts as not noticed" },
  unknown: { word: "unknown", mark: "?", means: "not decided in the given time" },
  killed: { word: "killed", mark: "✓", means: "a property is false on it: noticed" },
  vacuous: { word: "vacuous", mark: "∅", means: "its assumptions contradict each other, which counts as noticed" },
  suppressed: { word: "suppressed", mark: "○", means: "somebody decided, with a reason, that it may stay unnoticed; not counted" },
  equivalent: { word: "equivalent", mark: "≡", means: "proved to do the same as the original in all that is observed: no fault" },
  "not-valid": { word: "not valid", mark: "–", means: "no model; not counted" },
};

const PROPERTY_VERDICTS = {
  invalid: { word: "invalid", mark: "✗" },
  unknown: { word: "unknown", mark: "?" },
  vacuous: { word: "vacuous", mark: "∅" },
  valid: { word: "valid", mark: "✓" },
};

const ASSUMPTION_VERDICTS = {
  "not-needed": { word: "not needed", mark: "○", means: "every property holds when nothing is assumed here: it can go" },
  unknown: { word: "unknown", mark: "?", means: "not known whether a property needs it" },
  needed: { word: "needed", mark: "✓", means: "a property is false when it is weaker or not there" },
  tighter: { word: "tighter", mark: "▾", means: "the change only leaves out runs, so that no property can notice it" },
};

// What nobody notices, or may not have been noticed.
const OPEN = ["gap", "survived", "not-observed", "unknown"];
const isOpen = (mutant) => OPEN.includes(mutant.verdict);
// What counts in the score.
const isCounted = (mutant) => !["equivalent", "suppressed", "not-valid"].includes(mutant.verdict);

// From the strongest to the weakest.
const ROLES = {
  must: { word: "MUST", mark: "M", means: "in every core: the proof cannot do without it" },
  may: { word: "MAY", mark: "m", means: "in some minimal core: something else could take its place" },
  used: { word: "USED", mark: "u", means: "in a core that is not known to be minimal" },
  unused: { word: "UNUSED", mark: "·", means: "in no core that was found: the proof does not need it" },
  outside: { word: "OUTSIDE", mark: "–", means: "the property does not depend on it" },
};
const ROLE_ORDER = Object.keys(ROLES);

const plural = (count, one, many = one + "s") => `${count} ${count === 1 ? one : many}`;

function duration(seconds) {
  if (seconds < 0.00095) return `${(seconds * 1000).toFixed(1)} ms`;
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

// A share never looks complete when it is not.
function percent(share) {
  const tenths = share < 1 ? Math.min(Math.round(share * 1000), 999) : 1000;
  return (tenths / 10).toFixed(1);
}

function countBy(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) || 0) + 1);
  return counts;
}

// The strongest of several roles.
function strongest(roles) {
  return ROLE_ORDER.find((role) => roles.includes(role));
}

// What an element is to one property, or the most that it is to any.
function roleOf(element, property) {
  const roles = element.role || {};
  return property ? roles[property] : strongest(Object.values(roles));
}

// With several models, names and ids have the path of their model before them. The last part of the path
// says enough when it is the path of one model only.
const paths = data.inputs.map((input) => input.file);
const lastPart = (path) => path.split(/[\\/]/).pop();
const isPlain = new Set(paths.map(lastPart)).size === paths.length;
function brief(name) {
  if (paths.length < 2 || !isPlain) return name;
  const path = paths.filter((one) => name.startsWith(`${one}:`)).sort((one, other) => other.length - one.length)[0];
  return path === undefined ? name : lastPart(path) + name.slice(path.length);
}

const propertyNames = data.properties.map((property) => property.name);

// The properties whose cores were looked for, as the roles of elements name them.
const coreKeys = [...new Set(data.cores.map((core) => [].concat(core.property).join(", ")))];
const coresOf = (key) => data.cores.filter((core) => [].concat(core.property).join(", ") === key);

function noticedBy(mutant, property) {
  return (mutant.killed_by || []).includes(property) || (mutant.matrix || {})[property] === "killed";
}
