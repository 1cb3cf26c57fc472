'use strict';

// The text of a document with its marks. Nothing is put between the characters: marks are ranges of
// the browser, so that an offset on the page is an offset in the text.

// Characters in one block, which is laid out when it comes near.
const BLOCK = 8000;

// Characters after which a block ends inside of a line.
const LONGEST_LINE = 64000;

// Hidden characters that get a label; further ones are replaced, so that they cannot move the text.
const MAX_LABELS = 2000;

// Colours of fields, one for each member of the value.
const COLOURS = 12;

class MarkedText {
  constructor(place) {
    this.place = place;
    this.show('');
  }

  show(text) {
    this.text = text;
    this.nodes = [];
    this.labels = 0;
    this.places = [];
    const blocks = [];
    for (let start = 0; start < text.length;) {
      const end = this.blockEnd(start);
      const block = element('div', { className: 'block' });
      this.fill(block, start, end);
      blocks.push(block);
      start = end;
    }
    this.place.replaceChildren(...blocks);
    this.mark([]);
  }

  blockEnd(start) {
    if (this.text.length - start <= BLOCK) return this.text.length;
    const line = this.text.indexOf('\n', start + BLOCK);
    const end = line === -1 ? this.text.length : line + 1;
    if (end - start <= LONGEST_LINE) return end;
    // Never between the halves of a character.
    const cut = start + LONGEST_LINE;
    return /[\udc00-\udfff]/.test(this.text[cut]) ? cut - 1 : cut;
  }

  fill(block, start, end) {
    const text = this.text.slice(start, end);
    let done = 0;
    const push = (parent, from, to, shown = text.slice(from, to)) => {
      if (from === to) return;
      const node = document.createTextNode(shown);
      parent.append(node);
      this.nodes.push({ node, start: start + from });
    };
    for (const found of text.matchAll(new RegExp(`(?:${HIDDEN.source})+`, 'gu'))) {
      if (found[0] === '\r' && text[found.index + 1] === '\n') continue;
      if (this.labels === MAX_LABELS) {
        const rest = text.slice(done).replace(HIDDEN, c => '\ufffd'.repeat(c.length));
        return push(block, done, text.length, rest);
      }
      this.labels += 1;
      push(block, done, found.index);
      done = found.index + found[0].length;
      const codes = Array.from(found[0].slice(0, 8), code);
      const label = element('i');
      label.dataset.c = codes.slice(0, 4).join(' ') + (found[0].length > codes.length ? ' …' : '');
      push(label, found.index, done);
      block.append(label);
    }
    return push(block, done, text.length);
  }

  // The text node at an offset, and the offset in it.
  at(offset) {
    let [low, high] = [0, this.nodes.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.nodes[middle].start <= offset) low = middle;
      else high = middle - 1;
    }
    const { node, start } = this.nodes[low];
    return [node, Math.min(offset - start, node.length)];
  }

  range(start, end) {
    const range = document.createRange();
    range.setStart(...this.at(start));
    range.setEnd(...this.at(end));
    return range;
  }

  // Marks values; those that `root` has as members each have a colour.
  mark(places, names = []) {
    this.places = this.nodes.length === 0 ? [] : places.filter(({ end }) => end <= this.text.length);
    if (globalThis.CSS?.highlights === undefined) return;
    const ranges = Array.from({ length: COLOURS }, () => []);
    for (const { path, start, end } of this.places) {
      const index = names.findIndex(name => path === name || path.startsWith(`${name}/`));
      ranges[Math.max(index, 0) % COLOURS].push(this.range(start, end));
    }
    ranges.forEach((list, index) => CSS.highlights.set(`f${index}`, new Highlight(...list)));
    CSS.highlights.set('here', new Highlight());
  }

  // Marks the places of one part, and brings the first one into view.
  point(where) {
    const own = this.places.filter(({ path }) => path === where || path.startsWith(`${where}/`));
    const ranges = where === '' ? [] : own.map(({ start, end }) => this.range(start, end));
    if (globalThis.CSS?.highlights !== undefined) {
      const here = new Highlight(...ranges);
      here.priority = 1;
      CSS.highlights.set('here', here);
    }
    if (ranges.length > 0) this.reveal(ranges[0]);
  }

  reveal(range) {
    const inView = () => {
      const [at, frame] = [range.getBoundingClientRect(), this.place.getBoundingClientRect()];
      return at.height > 0 && at.top >= Math.max(frame.top, 0) && at.bottom <= Math.min(frame.bottom, innerHeight);
    };
    // On a phone the text scrolls with the page, and the field would go.
    if (inView() || getComputedStyle(this.place).overflowY === 'visible') return;
    range.startContainer.parentElement.closest('.block').scrollIntoView({ block: 'nearest' });
    const [at, frame] = [range.getBoundingClientRect(), this.place.getBoundingClientRect()];
    this.place.scrollTop += at.top - frame.top - frame.height / 3;
  }

  // How far a place of the page is into the text; `undefined` outside of it.
  offset(node, inside) {
    if (!this.place.contains(node)) return undefined;
    const before = document.createRange();
    before.selectNodeContents(this.place);
    before.setEnd(node, inside);
    return before.toString().length;
  }

  // The selected words, as the document has them.
  selected() {
    const selection = getSelection();
    if (selection.rangeCount === 0 || selection.isCollapsed) return '';
    const range = selection.getRangeAt(0);
    const [start, end] = [this.offset(range.startContainer, range.startOffset), this.offset(range.endContainer, range.endOffset)];
    return start === undefined || end === undefined ? '' : this.text.slice(start, end);
  }

  // The path of the value at a point of the screen.
  pathAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y);
    const old = caret === undefined ? document.caretRangeFromPoint?.(x, y) : undefined;
    const [node, inside] = [caret?.offsetNode ?? old?.startContainer, caret?.offset ?? old?.startOffset];
    const offset = node === undefined ? undefined : this.offset(node, inside);
    if (offset === undefined) return undefined;
    // The shortest is the most precise.
    const over = this.places.filter(({ start, end }) => start <= offset && offset <= end);
    return over.sort((one, other) => (one.end - one.start) - (other.end - other.start))[0]?.path;
  }
}
