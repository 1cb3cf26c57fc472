"use strict";
// The page works without this: places and marks are links, and switches are obeyed by the style sheet.
// It shows what a mark stands for, lights up a row with its marks, steps with `n` and `p`, and searches with `/`.
(() => {
  const text = document.getElementById("text");
  const panel = document.getElementById("panel");
  const tip = document.getElementById("tip");
  const lit = new Set();

  /** The numbers of the rows that a mark belongs to, the shortest span first. */
  const rowsOf = (mark) => [mark.hash.slice(2), ...Array.from(mark.querySelectorAll("u"), (line) => line.dataset.r)];

  const clear = () => {
    for (const one of lit) one.classList.remove("on");
    lit.clear();
    tip.hidden = true;
  };

  const light = (one) => {
    one.classList.add("on");
    lit.add(one);
  };

  const lightRow = (number) => {
    for (const mark of text.querySelectorAll(`[href="#r${number}"],[data-r="${number}"]`)) light(mark);
    const row = document.getElementById(`r${number}`);
    if (row) light(row);
    return row;
  };

  const showTip = (mark, rows) => {
    tip.replaceChildren(
      ...rows.map((row) => {
        const [path, value] = row.cells;
        const line = document.createElement("p");
        const name = document.createElement("b");
        name.textContent = path.textContent;
        // Copies, so that characters keep their labels.
        line.append(name, " ", ...value.cloneNode(true).childNodes);
        return line;
      }),
    );
    tip.hidden = false;
    const at = mark.getClientRects()[0];
    const top = at.bottom + 14;
    const room = document.documentElement;
    tip.style.left = `${Math.max(8, Math.min(at.left, room.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${top + tip.offsetHeight > room.clientHeight ? at.top - tip.offsetHeight - 8 : top}px`;
  };

  const look = (event) => {
    clear();
    const mark = event.target.closest("#text a");
    if (mark) {
      showTip(mark, rowsOf(mark).map(lightRow).filter(Boolean));
      return;
    }
    const row = event.target.closest("#panel tr[id]");
    if (row) lightRow(row.id.slice(1));
  };

  for (const pane of [text, panel]) {
    pane.addEventListener("mouseover", look);
    pane.addEventListener("focusin", look);
    pane.addEventListener("mouseleave", clear);
    pane.addEventListener("focusout", clear);
    pane.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  }

  const isOff = (mark) => {
    const box = document.getElementById(`c${mark.classList[0].slice(1)}`);
    return box && !box.checked;
  };

  const step = (by) => {
    // Each mark once: at its start.
    const marks = Array.from(text.querySelectorAll("[id^=m]"), (one) => one.closest("a")).filter((mark) => mark && !isOff(mark));
    if (marks.length === 0) return;
    const here = document.activeElement;
    const before = (mark) => mark.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING;
    const next = text.contains(here) && here !== text
      ? by > 0 ? marks.find((mark) => mark !== here && !before(mark)) : marks.findLast((mark) => mark !== here && before(mark))
      : undefined;
    const mark = next ?? (by > 0 ? marks[0] : marks[marks.length - 1]);
    mark.scrollIntoView({ block: "center" });
    mark.focus({ preventScroll: true });
  };

  // The search and the filters.
  const find = document.getElementById("find");
  const words = find.querySelector("input");
  const output = find.querySelector("output");
  const states = document.getElementById("states");
  const choice = document.getElementById("choice");
  const none = document.getElementById("none");
  const values = document.getElementById("values");
  const marked = "highlights" in CSS && typeof Highlight === "function";
  // So many are highlighted; all are counted and can be stepped through.
  const MOST = 2000;
  find.hidden = false;
  if (choice) choice.hidden = false;

  /** What is searched, made on first use: the text as one string, where each line starts in it, and the text of each row. */
  let searched;
  const prepare = () => {
    if (searched) return searched;
    const lines = Array.from(text.querySelectorAll("ol > li"));
    const starts = [];
    let at = 0;
    const parts = lines.map((line) => {
      const part = line.textContent;
      starts.push(at);
      at += part.length;
      return part;
    });
    const rows = Array.from(values.querySelectorAll("tr[id]"), (row) => ({ row, text: Array.from(row.cells, (cell) => cell.textContent).join("\n") }));
    searched = { lines, starts, whole: parts.join(""), rows };
    return searched;
  };

  /** Any white space in the words is any in the text, so that a search goes over the ends of lines. */
  const pattern = (query) =>
    new RegExp(query.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+"), "giu");

  /** The node and the offset in it of a place in the whole text. */
  const nodeAt = (place, isEnd) => {
    const { lines, starts } = prepare();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] < place || (!isEnd && starts[middle] === place)) low = middle;
      else high = middle - 1;
    }
    let left = place - starts[low];
    const walker = document.createTreeWalker(lines[low], NodeFilter.SHOW_TEXT);
    let last;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      last = node;
      if (left < node.length || (isEnd && left === node.length)) return [node, left];
      left -= node.length;
    }
    return [last, last.length];
  };

  const rangeOf = ([start, end]) => {
    const range = document.createRange();
    range.setStart(...nodeAt(start, false));
    range.setEnd(...nodeAt(end, true));
    return range;
  };

  let hits = [];
  let here = -1;
  let said = "";
  let asked = "";

  const say = () => {
    output.textContent = here < 0 ? said : `${here + 1} of ${said}`;
  };

  const searchText = (regex) => {
    hits = regex ? Array.from(prepare().whole.matchAll(regex), (hit) => [hit.index, hit.index + hit[0].length]) : [];
    here = -1;
    if (!marked) return;
    CSS.highlights.delete("here");
    CSS.highlights.set("found", new Highlight(...hits.slice(0, MOST).map(rangeOf)));
  };

  const go = (by) => {
    if (hits.length === 0) return;
    here = here < 0 ? (by > 0 ? 0 : hits.length - 1) : (here + by + hits.length) % hits.length;
    const range = rangeOf(hits[here]);
    if (marked) {
      const highlight = new Highlight(range);
      highlight.priority = 1;
      CSS.highlights.set("here", highlight);
    } else {
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    say();
  };

  /** Whether the chosen state shows the row. The style sheet hides the others. */
  const hasState = (row) => {
    const state = states?.querySelector(":checked").value ?? "a";
    if (state === "a") return true;
    return state === "y" ? !row.classList.contains("z") : row.classList.contains(state);
  };

  /** Hides the rows that the words or the field exclude; returns how many are shown and how many only the state hides. */
  const filter = (regex) => {
    const field = choice?.querySelector("select").value ?? "";
    const kept = new Set();
    let [shown, more] = [0, 0];
    for (const { row, text } of prepare().rows) {
      if (regex) regex.lastIndex = 0;
      const fits = (field === "" || row.dataset.f === field) && (!regex || regex.test(text));
      const isShown = fits && hasState(row);
      row.hidden = !fits;
      shown += isShown;
      more += fits && !isShown;
      if (isShown) kept.add(row.parentNode).add(row.closest(".t"));
    }
    for (const part of values.querySelectorAll(".t, tbody")) part.hidden = !kept.has(part);
    none.hidden = shown > 0;
    return [shown, more];
  };

  const search = () => {
    asked = words.value;
    const query = asked.trim();
    const regex = query === "" ? null : pattern(query);
    searchText(regex);
    const [shown, more] = filter(regex);
    const hidden = more > 0 ? `, ${more} more not shown` : "";
    said = regex ? `${hits.length} in the text, ${shown} in the values${hidden}` : "";
    say();
  };

  let waiting;
  words.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    clearTimeout(waiting);
    if (words.value !== asked) search();
    go(event.shiftKey ? -1 : 1);
  });
  const [previous, next] = find.querySelectorAll("button");
  previous.addEventListener("click", () => go(-1));
  next.addEventListener("click", () => go(1));
  states?.addEventListener("change", search);

  // A mark may lead to a row that a filter hides.
  text.addEventListener("click", (event) => {
    const row = document.getElementById(event.target.closest("a[href^='#r']")?.hash.slice(1));
    if (!row || row.getClientRects().length > 0) return;
    const all = document.getElementById("sa");
    if (all) all.checked = true;
    if (choice) choice.querySelector("select").value = "";
    words.value = "";
    search();
  });
  // A browser may keep what was chosen before the page was loaded again.
  if (words.value !== "" || choice?.querySelector("select").value) search();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") clear();
    if (event.target.matches("[type=search], select")) return;
    if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
    else if (event.key === "/") {
      event.preventDefault();
      words.focus();
      words.select();
    }
  });
})();
