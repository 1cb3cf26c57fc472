"use strict";
// The page works without this: places and marks are links, and switches are obeyed by the style sheet.
// It shows what a mark stands for, lights up a row with its marks, and steps with `n` and `p`.
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

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
    else if (event.key === "Escape") clear();
  });
})();
