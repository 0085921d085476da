// What each page has to do, tried in it. `run` returns what failed.
var run = async (name) => {
  const failed = [];
  const check = (what, good) => good || failed.push(what);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const seen = (element) => element && element.checkVisibility();
  // Folds tell that they were opened a moment later.
  const moment = () => new Promise((done) => setTimeout(done, 60));
  const status = () => one(".filters [role=status]").textContent;
  const search = async (words) => {
    const input = one("input[type=search]");
    input.value = words;
    input.dispatchEvent(new Event("input"));
    await new Promise((done) => setTimeout(done, 200));
  };
  const choose = (label, value) => {
    const select = one(`select[data-filter="${label}"]`);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };

  const anyPage = () => {
    check("there is one h1", all("h1").length === 1);
    let level = 1;
    for (const heading of all("h1, h2, h3, h4")) {
      const next = Number(heading.tagName[1]);
      check(`the heading ${heading.textContent} is in order`, next <= level + 1);
      level = next;
    }
    check("there is an answer", /\d/.test(one(".headline").textContent));
    check("links within the page lead somewhere", all("a[href^='#']").every((link) => document.getElementById(link.hash.slice(1))));
    check("no riddle", !one("main").textContent.includes("or may not"));
    check("nothing sticks out", document.documentElement.scrollWidth <= innerWidth);
  };

  const cases = {
    async demo2() {
      check("the score", one(".headline").textContent.includes("22.7 %"));
      check("the sentence", one(".sentence").textContent.includes("5 of 22 possible faults; 17 slip through"));
      check("suggestions", all("#gaps > div .suggestion").length > 0);
      check("gaps are counted in plain words", one("#gaps").textContent.includes("17 gaps in 2 equations"));
      check("and grouped, the largest group first", all("#gaps .group").map((group) => group.querySelectorAll("details.mutant").length).join() === "9,8");
      check("equations have scores", all("#by-element tbody tr").length === 2);
      check("outputs have scores", all("#by-output tbody td").map((cell) => cell.textContent).some((text) => text.includes("22.7 %")));
      check("outputs have gaps", all("#by-output tbody th").map((cell) => cell.textContent).join() === "b");
      check("every gap is listed", all("#gaps details.mutant").length === 17);
      check("the first gap is open", one("#gaps details.mutant").open);
      await moment();
      check("its waveform is drawn", seen(one("#gaps details[open] svg.wave")) && all("#gaps svg.wave .level, #gaps svg.wave .bus").length > 0);
      check("of both", one("#gaps svg.wave .original") && one("#gaps svg.wave .mutant") && one("#gaps svg.wave .differs"));
      check("waveforms of closed folds are not drawn yet", all("#gaps svg.wave").length === 1);
      check("lines are coloured by what slips through", one("#L6").classList.contains("slip-all") && one("#L7").classList.contains("slip-half"));
      check("and tell the share", one("#L7 .element .chip").textContent === "64 % slip through");
      check("inputs come first in a waveform", all("#gaps details[open] svg.wave .lane .name title").slice(0, 2).map((title) => title.textContent).join() === "a1,a2");
      check("all mutants are shown", status() === "22 of 22 mutants shown");

      one("[data-verdict=killed]").click();
      check("the verdict filters", status() === "17 of 22 mutants shown");
      check("and the counts of the lines", all("#L7 .count .mini").map((part) => part.textContent).join() === "✗9");
      check("a pressed button says so", one("[data-verdict=killed]").getAttribute("aria-pressed") === "false");
      one("[data-verdict=killed]").click();
      choose("Mutator", "g2l");
      check("the mutator filters", status() === "1 of 22 mutants shown");
      check("and hides what is empty", !seen(one("#L7 .count")) && seen(one("#L6 .count")));
      await search("6: zzz");
      check("filters combine: nothing has this word", status() === "0 of 22 mutants shown" && all("#gaps .group").length === 0);
      await search("");
      one("input[type=checkbox]").click();
      check("only lines with mutants", all(".line").filter(seen).length === 1);
      one("input[type=checkbox]").click();
      choose("Mutator", "");
      choose("Property", "Prop1");
      check("the property filters nothing that it kills", status() === "22 of 22 mutants shown");
      choose("Property", "");

      check("mutants are folded", all(".line details.mutant").length === 0);
      one("#L7 .count").click();
      check("and unfold", all("#L7 details.mutant").filter(seen).length === 14 && one("#L7 .count").getAttribute("aria-expanded") === "true");
      one("#L7 details.mutant summary").click();
      await moment();
      check("with a waveform", seen(one("#L7 svg.wave")));
      check("with the line before and after", one("#L7 .diff.original del") && one("#L7 .diff.mutant ins"));
      check("the values are there as a table", one("#L7 details.values"));
      one("#L7 .count").click();
      check("and fold", all("#L7 details.mutant").filter(seen).length === 0);
      one("button.unfold").click();
      check("all unfold", all(".line details.mutant").filter(seen).length === 22);
      one("button.fold").click();
      check("all fold", all(".line details.mutant").filter(seen).length === 0);

      const names = () => all("#matrix tbody th").map((cell) => cell.textContent).join();
      const header = one("#matrix thead th:nth-child(4)");
      check("the matrix is in order", names() === "d,b,Prop1");
      header.querySelector("button").click();
      check("it sorts", names() === "b,Prop1,d" && header.getAttribute("aria-sort") === "ascending");
      header.querySelector("button").click();
      check("the other way, too", names() === "d,b,Prop1" && header.getAttribute("aria-sort") === "descending");
    },
    async printed() {
      await moment();
      check("every gap is open on paper", all("#gaps details.mutant").every((gap) => gap.open && gap.querySelector("svg.wave")));
    },
    async hostile() {
      check("no name became markup", !one("img") && !one("main b"));
      check("no name was run", window.hacked === undefined);
      const names = all("#properties tbody th").map((cell) => cell.textContent);
      check("names are as they are", names.some((text) => text.includes("</script><img src=x onerror=window.hacked=1>"))
        && names.some((text) => text.includes("<b onmouseover='window.hacked=1'>&amp; [[data]] <!--")));
    },
    async switch() {
      check("the verdicts", all("#properties .badge").map((badge) => badge.textContent).join() === "✓valid,✓valid,✗invalid");
      check("the counterexample is drawn", seen(one("#properties svg.wave .violated .level")));
      const toggle = one("#properties .toggle");
      toggle.click();
      check("invariants unfold", seen(document.getElementById(toggle.getAttribute("aria-controls"))));
    },
    async cores() {
      check("roles are words", ["MUST", "MAY", "OUTSIDE"].every((word) => all(".line .element").some((mark) => mark.textContent === word)));
      check("the matrix has every element", all("#matrix tbody tr").length === 8);
    },
    async "switch-mutated"() {
      const { mutants, properties } = JSON.parse(document.getElementById("data").textContent);
      for (const { name } of properties) {
        const shown = mutants.filter((one) => one.verdict !== "killed" || one.killed_by.includes(name) || one.matrix[name] === "killed").length;
        choose("Property", name);
        check(`${name} filters`, status() === `${shown} of ${mutants.length} mutants shown` && shown < mutants.length);
      }
      choose("Property", "");
      check("and all is all", status() === `${mutants.length} of ${mutants.length} mutants shown`);
      check("what properties are worth", one("#properties").textContent.includes("same score"));
      check("mutators are counted", all("#mutators tbody tr").length > 3);
    },
    async pump() {
      check("nodes have scores", all("#by-node tbody tr").length === 3);
      check("assumptions are listed", all("#assumptions tbody tr").length === 2);
      const all90 = status();
      choose("Node", "between");
      const node = status();
      await search("level");
      check("a node and words filter together", node !== all90 && status() !== node && all("#gaps .group").length === 1);
      await search("");
      choose("Node", "");
      check("and all is all", status() === all90);
    },
    async several() {
      const names = all("#properties tbody th").map((cell) => cell.firstChild.textContent);
      check("names have the file, and not its folder", names.includes("blocked.lus:safe") && names.includes("ring.smv:alone"));
      const vacuity = all(".card").find((card) => card.textContent.startsWith("Vacuity")).textContent;
      check("the card says why", vacuity.includes("blocked.lus:safe: the assumptions accept a run up to step 3"));
      const toggles = all("#properties .toggle").map((toggle) => toggle.textContent);
      check("a blocked run is no counterexample", toggles.includes("blocked run") && toggles.includes("counterexample"));
      check("and is told as what it is", one("#properties").textContent.includes("accept this run up to step 3 and no step after it"));
      check("every text is there", all("#source h3").length === 4 && all(".source").length === 4);
    },
    async both() {
      const notes = all("#gaps > div .suggestion .small").map((note) => note.textContent);
      check("a property names the model it is for", notes.length > 0 && notes.every((note) => /^for (pump|crossing)\.lus: closes at least/.test(note)));
      check("groups name the file, and not its folder", all("#gaps h4 .small").every((title) => / · (pump|crossing)\.lus:/.test(title.textContent)));
      check("assumptions are listed", all("#assumptions tbody tr").length === 2);
    },
    async ring() {
      check("the verdicts", all("#properties .badge").map((badge) => badge.textContent).join() === "✓valid,✗invalid");
      check("the counterexample is drawn", seen(one("#properties svg.wave .violated .level")));
      check("the text is there", all(".line").length > 20);
    },
    async covered() {
      check("the share", /^\d+\.\d %of the registers and gates covered$/.test(one(".headline").textContent));
      const { coverage } = JSON.parse(document.getElementById("data").textContent);
      const rows = all("#coverage table")[1].querySelectorAll("tbody tr");
      check("every register is listed", rows.length === coverage.length && rows.length > 4);
      const badges = [...rows].map((line) => line.querySelectorAll(".badge[class*=covered]")[0].textContent);
      check("what no property sees comes first", badges[0] === "✗not covered" && badges[badges.length - 1] === "✓covered");
      check("properties have shares", one("#coverage table").textContent.includes("all together"));
      check("the words are explained", one("#words").textContent.includes("every property still holds when it is cut"));
    },
    async nameless() {
      check("every gap is listed", all("#gaps details.mutant").length === 17);
      check("places are names", /^demo2\/\w+:\d+$/.test(one("#gaps .place").textContent));
      check("it says that there is no text", one("#source").textContent.includes("was not at hand"));
      one("#gaps details.mutant").open = true;
      await moment();
      check("runs are drawn", seen(one("#gaps svg.wave")));
      choose("Mutator", "g2l");
      check("the filter works", status() === "1 of 22 mutants shown");
      choose("Mutator", "");
    },
    async many() {
      check("all are there", /^50\d\d of 50\d\d mutants shown$/.test(status()));
      check("none is drawn before it is opened", all(".line details.mutant").length === 0);
      check("groups come in portions", all("#gaps .group").length === 8 && all("#gaps details.mutant").length === 24);
      one("#gaps .groups > .more").click();
      check("and more of them", all("#gaps .group").length === 16);
      choose("Mutator", "g2l");
      check("the filter works", /^2\d\d of 50\d\d mutants shown$/.test(status()));
      choose("Mutator", "");
      const begin = performance.now();
      one("[data-verdict=killed]").click();
      check("and at once", performance.now() - begin < 500);
      one("[data-verdict=killed]").click();
    },
  };
  anyPage();
  await cases[name]();
  return failed;
};
