// The page from top to bottom.

function page() {
  header();
  const sections = [cards(), gapsSection(), weakSection(), coverageSection(), figuresSection(), propertiesSection(), assumptionsSection(), sourceSection(), matrixSection(), mutatorsSection(), runSection(), legendSection()];
  const present = sections.filter(Boolean);
  document.getElementById("main").append(...present);
  document.getElementById("nav").append(make("ul", {}, present.map((section) =>
    make("li", {}, make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)))));
  document.getElementById("foot").append(make("p", {}, `Written by proofmark ${data.tool.version}; everything is in this file.`));
  // What invalid properties look like is what one came for.
  const shown = [...document.querySelectorAll("#properties .toggle")].filter((one) => ["counterexample", "blocked run"].includes(one.textContent));
  shown.slice(0, 3).forEach((toggle) => toggle.unfold());
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

// On paper nothing can be opened any more.
function unfoldForPaper() {
  document.querySelectorAll("#gaps details.mutant").forEach((one) => one.unfold());
  document.querySelectorAll("#properties .toggle").forEach((one) => one.unfold());
}

page();
addEventListener("beforeprint", unfoldForPaper);
performance.mark("proofmark-ready");
