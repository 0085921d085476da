// Making elements. Text is only ever put in as text.

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
}

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

let identities = 0;
const identity = (what) => `${what}-${++identities}`;

// A word with its mark, in the colour of its kind.
function badge(kinds, kind) {
  const { word, mark, means } = kinds[kind] || { word: kind, mark: "?" };
  return make("span", { class: `badge ${kinds === ROLES ? "role" : "verdict"}-${kind}`, title: means },
    make("span", { class: "mark", "aria-hidden": "true" }, mark), word);
}

// A fold whose content is made when it is first opened.
function fold(attributes, summary, content) {
  const details = make("details", attributes, make("summary", {}, summary));
  const fill = () => {
    if (details.open && !details.filled) {
      details.filled = true;
      details.append(...[].concat(content()));
    }
  };
  details.unfold = () => {
    details.open = true;
    fill();
  };
  details.addEventListener("toggle", fill);
  return details;
}

function copyButton(text, what) {
  const button = make("button", { type: "button", class: "copy", title: `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

// A page from disk may not have the clipboard; the old way works there.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { class: "hidden", "aria-hidden": "true" }, text);
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// A region that scrolls must be reachable by keyboard.
function scroller(label, ...children) {
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);
}

// The first items, and a button for more.
function inPortions(items, size, container, draw, { next = size, what = "" } = {}) {
  let shown = 0;
  const button = make("button", { type: "button", class: "more" });
  const more = () => {
    const count = shown ? next : size;
    const fresh = items.slice(shown, shown + count).map(draw);
    if (button.parentElement === container) button.before(...fresh);
    else container.append(...fresh);
    shown = Math.min(items.length, shown + count);
    const left = items.length - shown;
    button.textContent = `Show ${left > next ? `${next} more of ${left}` : `${left} more`} ${what}`.trim();
    button.hidden = left === 0;
  };
  button.addEventListener("click", more);
  more();
  return button;
}

// A table whose headers are buttons that sort. A column has a title, a key to sort by, and a cell;
// a row may have something to unfold below it. A table that `stacks` becomes one card a row on a phone;
// one that `fits` scrolls inside itself, with its heads and its first column in sight.
function sortable(caption, columns, items, { unfolded, size = 200, note, stacks, fits } = {}) {
  const table = make("table", { class: stacks ? "stacks" : fits ? "fits" : null }, make("caption", { class: "hidden" }, caption));
  let order = { column: null, down: false };
  const headers = columns.map((column) => {
    const button = make("button", { type: "button", title: column.hint || null }, column.title);
    const header = make("th", { scope: "col", class: column.class || null, "aria-sort": "none" }, button);
    button.addEventListener("click", () => {
      order = { column, down: order.column === column && !order.down };
      headers.forEach((one) => one.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      fill();
    });
    return header;
  });
  table.append(make("thead", {}, make("tr", {}, headers)));
  const body = make("tbody");
  table.append(body);
  const foot = make("div");
  const fill = () => {
    body.replaceChildren();
    const portion = inPortions(sorted(items, order), size, body, (item) => row(columns, item, unfolded));
    foot.replaceChildren(portion);
  };
  fill();
  const region = scroller(caption, table);
  if (fits) region.classList.add("inside");
  return [region, foot, note || null].filter(Boolean);
}

function sorted(items, { column, down }) {
  if (!column) return items;
  const keyed = items.map((item) => [column.key(item), item]);
  keyed.sort(([one], [other]) => {
    const difference = typeof one === "number" && typeof other === "number" ? one - other
      : String(one).localeCompare(String(other), "en", { numeric: true });
    return down ? -difference : difference;
  });
  return keyed.map(([, item]) => item);
}

function row(columns, item, unfolded) {
  const cells = columns.map((column, at) =>
    make(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : null, class: column.class || null, "data-title": column.title },
      column.cell ? column.cell(item) : String(column.key(item))));
  const content = unfolded && unfolded(item);
  if (!content) return make("tr", {}, cells);
  const fragment = document.createDocumentFragment();
  const id = identity("row");
  const below = make("tr", { id, class: "below", hidden: true }, make("td", { colspan: columns.length }));
  const toggle = make("button", { type: "button", class: "toggle", "aria-expanded": "false", "aria-controls": id },
    content.title);
  toggle.unfold = () => {
    if (below.hidden) toggle.click();
  };
  toggle.addEventListener("click", () => {
    below.hidden = !below.hidden;
    toggle.setAttribute("aria-expanded", String(!below.hidden));
    if (!below.firstChild.hasChildNodes()) below.firstChild.append(...content.draw());
  });
  cells[0].append(" ", toggle);
  fragment.append(make("tr", {}, cells), below);
  return fragment;
}
