'use strict';

// The list of documents: only what can be seen is on the page, whatever their number.

const ROW = 40;
const PAGE = 100;
const MAX_PAGES = 20;

const REASONS = {
  failed: 'failed', unsure: 'unsure', conflict: 'in conflict', changed: 'changed', sampled: 'sample', rest: 'sure',
};

class DocumentList {
  // `ask` asks the program for a part of the list, and `chosen` is called with a document.
  constructor(place, { ask, chosen, counted }) {
    Object.assign(this, { place, ask, chosen, counted, total: 0, position: -1, pages: new Map(), show: 'first', search: '' });
    this.space = place.firstElementChild;
    place.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(place);
    place.addEventListener('keydown', event => this.key(event));
  }

  // Asks anew; what was known is forgotten.
  async load() {
    this.pages.clear();
    this.generation = (this.generation ?? 0) + 1;
    await this.page(0);
    this.draw();
  }

  page(number) {
    const known = this.pages.get(number);
    if (known !== undefined) return known.items ?? known.loading;
    const page = { loading: this.loaded(number, this.generation) };
    this.pages.set(number, page);
    for (const old of this.pages.keys()) if (this.pages.size > MAX_PAGES && old !== number) this.pages.delete(old);
    return page.loading;
  }

  async loaded(number, generation) {
    const query = new URLSearchParams({ show: this.show, search: this.search, from: number * PAGE, count: PAGE });
    try {
      const { total, items } = await this.ask(`list.json?${query}`);
      if (generation !== this.generation) return [];
      this.total = total;
      this.counted(total);
      if (this.pages.has(number)) this.pages.get(number).items = items;
      return items;
    } catch (error) {
      if (generation === this.generation) this.pages.delete(number);
      throw error;
    }
  }

  known(position) {
    return this.pages.get(Math.floor(position / PAGE))?.items?.[position % PAGE];
  }

  // The document at a position of the list.
  async item(position) {
    if (position < 0 || position >= this.total) return undefined;
    return (await this.page(Math.floor(position / PAGE)))[position % PAGE];
  }

  async choose(position) {
    const item = await this.item(position);
    if (item === undefined) return false;
    this.position = position;
    const top = position * ROW;
    if (top < this.place.scrollTop) this.place.scrollTop = top;
    if (top + ROW > this.place.scrollTop + this.place.clientHeight) this.place.scrollTop = top + ROW - this.place.clientHeight;
    this.draw();
    await this.chosen(item);
    return true;
  }

  // Goes to the next document without a decision, around the end once.
  async nextOpen() {
    for (let step = 1; step <= this.total; step += 1) {
      const position = (this.position + step) % this.total;
      const item = await this.item(position);
      if (item !== undefined && item.decided_by === null) return this.choose(position);
    }
    return false;
  }

  // Says who decided about a document that is known here.
  decided(index, by) {
    for (const { items } of this.pages.values()) {
      const item = items?.find(one => one.index === index);
      if (item !== undefined) item.decided_by = by;
    }
    this.draw();
  }

  // Shows the rows that can be seen.
  draw() {
    this.space.style.height = `${this.total * ROW}px`;
    const first = Math.max(Math.floor(this.place.scrollTop / ROW) - 5, 0);
    const last = Math.min(Math.ceil((this.place.scrollTop + this.place.clientHeight) / ROW) + 5, this.total);
    const rows = [];
    for (let position = first; position < last; position += 1) {
      rows.push(this.row(position));
      if (position % PAGE === 0 || position === first) this.missing(Math.floor(position / PAGE));
    }
    this.space.replaceChildren(...rows);
    const active = this.space.querySelector('[aria-selected=true]');
    if (active === null) this.place.removeAttribute('aria-activedescendant');
    else this.place.setAttribute('aria-activedescendant', active.id);
  }

  missing(number) {
    if (!this.pages.has(number)) Promise.resolve(this.page(number)).then(() => this.draw(), () => {});
  }

  row(position) {
    const item = this.known(position);
    const row = element('div', { className: 'document', id: `d${position}` });
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', String(position === this.position));
    row.setAttribute('aria-posinset', String(position + 1));
    row.setAttribute('aria-setsize', String(this.total));
    row.style.top = `${position * ROW}px`;
    if (item === undefined) return row;
    const why = item.reason === 'unsure' && item.confidence !== null ? `unsure ${item.confidence.toFixed(2)}` : REASONS[item.reason];
    row.append(
      element('bdi', { className: 'name', textContent: plain(item.key.slice(-200)) }),
      element('small', { className: item.decided_by === null ? item.reason : 'ok', textContent: item.decided_by === null ? why : `✓ ${plain(item.decided_by.slice(0, 40))}` }),
    );
    row.onclick = () => this.choose(position);
    return row;
  }

  key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose(Math.min(Math.max(this.position + by, 0), this.total - 1));
  }
}
