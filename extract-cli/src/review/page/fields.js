'use strict';

// The form of a value. Foreign text only ever becomes text of an element or the value of a control.

// Rows of a list that are shown before more are asked for.
const SHOWN_ROWS = 50;

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/gu;
const code = c => `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

// What moves the text around it is shown by its number.
const plain = text => text.replace(HIDDEN, code);

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const isNothing = value => value === null || value === undefined;

class Form {
  // `form` is the form of the schema, `place` the element for it, and `changed` is called after an
  // edit, before which `before` was.
  constructor(form, place, { before, changed }) {
    Object.assign(this, { definitions: form.definitions, root: form.root, place, before, changed });
    this.value = null;
    this.facts = { unsure: new Map(), others: new Map() };
    this.more = new Map();
  }

  // The field itself, and what is said where it is referred to.
  resolved(field) {
    let [now, seen] = [field, 0];
    while (now.kind === 'reference' && seen < 50) {
      const target = this.definitions[now.to];
      const { kind, to, ...said } = now;
      now = { ...target, ...said, is_nullable: now.is_nullable || target.is_nullable };
      seen += 1;
    }
    return now.kind === 'reference' ? { kind: 'json' } : now;
  }

  // The value of a new row or member. Nothing is invented: what is required and unknown is null,
  // which the contract refuses until it is given.
  initial(field, depth = 0) {
    const { kind, is_nullable, members, branches } = this.resolved(field);
    if (is_nullable && depth > 0) return null;
    if (kind === 'list') return [];
    if (kind === 'map') return new Map();
    if (kind === 'object' && depth < 20) {
      const required = members.filter(member => member.is_required);
      return new Map(required.map(({ name, field: part }) => [name, this.initial(part, depth + 1)]));
    }
    if (kind === 'union') return this.ofBranch(branches[0], new Map());
    return null;
  }

  ofBranch(branch, value) {
    const made = this.initial(branch.field, 1) ?? new Map();
    const known = new Set((this.resolved(branch.field).members ?? []).map(member => member.name));
    for (const [name, part] of value) if (known.has(name)) made.set(name, part);
    if (branch.tag !== undefined) made.set(branch.name, readJson(branch.tag));
    return made;
  }

  // Returns whether the control of the field shows the value as it is.
  fits({ kind, options, branches }, value) {
    if (isNothing(value)) return true;
    switch (kind) {
      case 'text': return typeof value === 'string';
      // What is no number yet is a string until the contract is content.
      case 'number': return value instanceof Digits || (typeof value === 'string' && !value.includes('\n'));
      case 'boolean': return typeof value === 'boolean';
      case 'choice': return options.includes(writeJson(value));
      case 'list': return Array.isArray(value);
      case 'object': case 'map': return value instanceof Map;
      case 'union': return value instanceof Map && this.branch(branches, value) !== undefined;
      default: return false;
    }
  }

  branch(branches, value) {
    return branches.find(({ name, tag }) =>
      value.has(name) && (tag === undefined || tag === writeJson(value.get(name))));
  }

  // Shows a value anew, and keeps the field that has the focus.
  show(value) {
    this.value = value;
    const focused = this.focused()?.dataset.path;
    this.rows = new Map();
    this.place.replaceChildren(this.part(this.root, [], { label: 'value', isRequired: true }));
    if (focused !== undefined) this.focus(focused);
  }

  // Sets a part by its control. `before` is told which, because typing a word is one edit.
  set(path, part) {
    this.before(pointer(path));
    this.value = withPart(this.value, path, part);
    this.changed();
  }

  // Sets a part, and shows the form anew: other fields may come or go.
  reshape(path, part) {
    this.before(null);
    this.value = withPart(this.value, path, part);
    this.show(this.value);
    this.changed();
  }

  part(field, path, about) {
    const known = this.resolved(field);
    const value = at(this.value, path);
    const fits = this.fits(known, value);
    const kind = fits ? known.kind : 'json';
    const isGroup = !isNothing(value) && ['list', 'object', 'map', 'union'].includes(kind);
    return isGroup ? this.group(known, path, about, value) : this.row({ ...known, kind }, path, about, value);
  }

  // The name of a part, how sure it is, and its description.
  heading(known, path, { label, isRequired }) {
    const name = element('bdi', { className: 'name', textContent: plain(label) });
    const heading = element('span', { className: 'heading' }, name);
    if (isRequired && path.length > 0) heading.append(element('small', { textContent: 'required' }));
    const unsure = this.facts.unsure.get(pointer(path));
    if (unsure !== undefined) {
      const number = unsure === null ? 'unknown' : unsure.toFixed(2);
      heading.append(element('small', { className: 'unsure', textContent: `unsure: ${number}` }));
    }
    const said = known.description ?? known.title;
    if (said !== undefined) heading.append(element('small', { className: 'said', textContent: plain(said) }));
    return heading;
  }

  // Adds what every part has: its path, remarks of the contract, and values from elsewhere.
  register(made, known, path, about) {
    const where = pointer(path);
    made.dataset.path = where;
    made.tabIndex = -1;
    const remarks = element('div', { className: 'remarks' });
    this.rows.set(where, { made, known, path, about, remarks });
    const others = (this.facts.others.get(where) ?? []).map(({ value, is_conflict }) =>
      element('button', {
        type: 'button',
        className: 'other',
        textContent: `${is_conflict ? 'also' : 'another sample'}: ${plain(value.slice(0, 200))}`,
        onclick: () => this.reshape(path, readJson(value)),
      }));
    if (others.length > 0) made.append(element('div', { className: 'others' }, ...others));
    return remarks;
  }

  row(known, path, about, value) {
    const made = element('div', { className: 'row' });
    const control = this.control(known, path, value);
    control.setAttribute('aria-label', plain(about.label));
    const line = element('div', { className: 'line' }, control);
    if (about.remove) line.append(this.remover(about));
    made.append(this.heading(known, path, about), line);
    const hidden = typeof value === 'string' ? Array.from(new Set(value.match(HIDDEN)), code) : [];
    if (hidden.length > 0) made.append(element('small', { className: 'hidden', textContent: `hidden characters: ${hidden.slice(0, 8).join(' ')}` }));
    const remarks = this.register(made, known, path, about);
    made.append(remarks);
    made.classList.toggle('none', isNothing(value));
    return made;
  }

  remover({ label, remove }) {
    return element('button', { type: 'button', className: 'remove', textContent: 'Remove', ariaLabel: `Remove ${plain(label)}`, onclick: remove });
  }

  control(known, path, value) {
    const set = part => {
      this.set(path, part);
      this.rows.get(pointer(path))?.made.classList.toggle('none', isNothing(part));
    };
    switch (known.kind) {
      case 'boolean': return this.choice(known, ['true', 'false'], value, set);
      case 'choice': return this.choice(known, known.options, value, set);
      case 'number': return this.number(value, set);
      case 'text': return this.text(known, value, set);
      case 'json': return this.json(path, value, set);
      default: return this.adder(known, path);
    }
  }

  choice(known, options, value, set) {
    const shown = json => (json === 'true' ? 'yes' : json === 'false' ? 'no' : plain(json.startsWith('"') ? JSON.parse(json) : json));
    const select = element('select', {}, element('option', { value: '', textContent: known.is_nullable ? 'none' : 'not chosen' }));
    for (const json of options) select.append(element('option', { value: json, textContent: shown(json) }));
    select.value = isNothing(value) ? '' : writeJson(value);
    select.onchange = () => set(select.value === '' ? null : readJson(select.value));
    return select;
  }

  number(value, set) {
    const input = element('input', { type: 'text', inputMode: 'decimal', autocomplete: 'off', placeholder: 'none' });
    input.value = isNothing(value) ? '' : value instanceof Digits ? value.text : value;
    input.oninput = () => {
      const text = input.value.trim();
      NUMBER.lastIndex = 0;
      const isNumber = NUMBER.exec(text)?.[0] === text;
      set(text === '' ? null : isNumber ? new Digits(text) : input.value);
    };
    return input;
  }

  text(known, value, set) {
    const isDate = known.format === 'date' && (isNothing(value) || /^\d{4}-\d\d-\d\d$/.test(value));
    const input = isDate
      ? element('input', { type: 'date' })
      : element('textarea', { rows: 1, dir: 'auto', spellcheck: false, placeholder: known.format ?? 'none' });
    input.value = value ?? '';
    input.oninput = () => set(isDate && input.value === '' ? null : input.value);
    return input;
  }

  // A part that the form cannot express.
  json(path, value, set) {
    const area = element('textarea', { className: 'json', rows: 1, spellcheck: false, placeholder: 'none' });
    area.value = value === undefined ? '' : writeJson(value, '  ');
    area.oninput = () => {
      const row = this.rows.get(pointer(path));
      try {
        set(area.value.trim() === '' ? undefined : readJson(area.value));
        row.broken = undefined;
      } catch (error) {
        row.broken = error.message;
        this.changed();
      }
    };
    return area;
  }

  // Brings a list, an object or a map that is not there.
  adder(known, path) {
    return element('button', { type: 'button', textContent: 'none; add', onclick: () => this.reshape(path, this.initial({ ...known, is_nullable: false })) });
  }

  group(known, path, about, value) {
    const made = element('div', { className: 'group' });
    const head = element('div', { className: 'head' }, this.heading(known, path, about));
    if (about.remove) head.append(this.remover(about));
    made.append(head);
    const remarks = this.register(made, known, path, about);
    made.append(remarks, ...this[known.kind](known, path, value));
    return made;
  }

  list({ item }, path, value) {
    const where = pointer(path);
    const shown = Math.min(value.length, this.more.get(where) ?? SHOWN_ROWS);
    const parts = value.slice(0, shown).map((_, index) => this.part(item, [...path, index], {
      label: String(index + 1), isRequired: false, remove: () => this.reshape([...path, index], undefined),
    }));
    if (shown < value.length) {
      const more = () => { this.more.set(where, shown + 500); this.show(this.value); };
      parts.push(element('button', { type: 'button', textContent: `${value.length - shown} more rows`, onclick: more }));
    }
    const add = () => this.add(path);
    return [...parts, element('button', { type: 'button', className: 'add', textContent: 'Add a row', onclick: add })];
  }

  // Adds a row to the list at `path`.
  add(path) {
    const list = at(this.value, path);
    this.more.set(pointer(path), Math.max(this.more.get(pointer(path)) ?? SHOWN_ROWS, list.length + 1));
    this.reshape([...path, list.length], this.initial({ ...this.rows.get(pointer(path)).known.item }, 0));
    this.focus(pointer([...path, list.length - 1]));
  }

  object({ members }, path, value) {
    const known = new Set(members.map(({ name }) => name));
    const parts = members.map(({ name, field, is_required }) =>
      this.part(field, [...path, name], { label: name, isRequired: is_required }));
    return [...parts, ...this.unknown(path, Array.from(value.keys()).filter(name => !known.has(name)))];
  }

  // Members that the schema does not name.
  unknown(path, names) {
    return names.map(name => this.part({ kind: 'json' }, [...path, name], {
      label: name, isRequired: false, remove: () => this.reshape([...path, name], undefined),
    }));
  }

  map({ value: field }, path, value) {
    const parts = Array.from(value.keys()).slice(0, 500).map(name => this.part(field, [...path, name], {
      label: name, isRequired: false, remove: () => this.reshape([...path, name], undefined),
    }));
    const name = element('input', { type: 'text', placeholder: 'new name', ariaLabel: 'New name', autocomplete: 'off' });
    const add = element('button', { type: 'button', className: 'add', textContent: 'Add' });
    add.onclick = () => {
      if (!value.has(name.value)) this.reshape([...path, name.value], this.initial(field, 0));
    };
    name.onkeydown = event => { if (event.key === 'Enter') { event.stopPropagation(); add.click(); } };
    return [...parts, element('div', { className: 'line' }, name, add)];
  }

  union({ branches }, path, value) {
    const chosen = this.branch(branches, value);
    const select = element('select', { ariaLabel: 'Kind' }, ...branches.map((branch, index) =>
      element('option', { value: String(index), textContent: plain(branch.label) })));
    select.value = String(branches.indexOf(chosen));
    select.onchange = () => this.reshape(path, this.ofBranch(branches[Number(select.value)], value));
    const field = this.resolved(chosen.field);
    const members = field.kind === 'object' ? field.members : [];
    const isTag = name => chosen.tag !== undefined && name === chosen.name;
    const rest = { members: members.filter(({ name }) => !isTag(name)) };
    const known = new Set(members.map(({ name }) => name));
    const others = Array.from(value.keys()).filter(name => !known.has(name) && !isTag(name));
    return [element('div', { className: 'line' }, select), ...this.object(rest, path, new Map()), ...this.unknown(path, others)];
  }

  // The row or group with the focus, or with the control that has it.
  focused() {
    const active = document.activeElement;
    return this.place.contains(active) ? active.closest('[data-path]') : null;
  }

  focus(where) {
    const row = this.rows.get(where) ?? this.rows.get('');
    row?.made.focus({ preventScroll: true });
    row?.made.scrollIntoView({ block: 'nearest' });
  }

  // Moves the focus by so many rows.
  move(by) {
    const all = Array.from(this.place.querySelectorAll('[data-path]'));
    const now = this.focused();
    const next = now === null ? 0 : Math.min(Math.max(all.indexOf(now) + by, 0), all.length - 1);
    this.focus(all[next].dataset.path);
  }

  rowOf(made) {
    return made === null ? undefined : this.rows.get(made.dataset.path);
  }

  edit(made) {
    const control = made?.querySelector(':scope > .line :is(input, textarea, select, button), :scope > .add');
    if (control?.matches('button')) return control.click();
    control?.focus();
    return control?.select?.();
  }

  // Says that the text has no such value. Returns what is wrong with that.
  nothing(made) {
    const row = this.rowOf(made);
    if (row === undefined) return 'Choose a field first.';
    let { known, path, about } = row;
    // A value with its quote is there or not as a whole.
    const above = this.rows.get(pointer(path.slice(0, -1)));
    if (above?.known.is_grounded) ({ known, path, about } = above);
    if (known.is_nullable) this.reshape(path, null);
    else if (about.remove) about.remove();
    else if (!about.isRequired) this.reshape(path, undefined);
    else return `${plain(about.label)} is required: the schema allows no value without it.`;
    return undefined;
  }

  // Uses words of the text. Returns what is wrong with that.
  use(made, words) {
    const row = this.rowOf(made);
    if (row === undefined) return 'Choose a field first.';
    const { known, path } = row;
    const above = this.rows.get(pointer(path.slice(0, -1)));
    const set = (where, part) => { this.reshape(where, part); };
    if (known.is_grounded) set([...path, 'quote'], words);
    else if (above?.known.is_grounded) set([...above.path, 'quote'], words);
    else if (known.kind === 'text') set(path, words);
    else if (known.kind === 'number') set(path, this.numberIn(words));
    else if (known.kind === 'choice') {
      const same = known.options.find(json => String(JSON.parse(json)).toLowerCase() === words.trim().toLowerCase());
      if (same === undefined) return 'The selected text is none of the choices.';
      set(path, readJson(same));
    } else return 'This field takes no text; choose one below it.';
    return undefined;
  }

  numberIn(words) {
    const text = words.trim();
    NUMBER.lastIndex = 0;
    return NUMBER.exec(text)?.[0] === text ? new Digits(text) : text;
  }

  // Chooses among the values of a field, from 0.
  choose(made, index) {
    const select = made?.querySelector(':scope > .line > select');
    const option = select?.options[index + (select.options[0].value === '' ? 1 : 0)];
    if (option === undefined) return;
    select.value = option.value;
    select.onchange();
  }

  // The list around a field, and which of its rows the field is in.
  around(made) {
    const row = this.rowOf(made);
    for (let length = row?.path.length ?? -1; length >= 0; length -= 1) {
      const path = row.path.slice(0, length);
      if (Array.isArray(at(this.value, path))) return { path, index: row.path[length] };
    }
    return undefined;
  }

  // Shows remarks beside their fields, and returns those without one.
  remark(violations) {
    for (const { remarks, made, broken } of this.rows.values()) {
      remarks.replaceChildren(...(broken === undefined ? [] : [element('p', { className: 'bad', textContent: `no JSON: ${broken}` })]));
      made.classList.toggle('wrong', broken !== undefined);
    }
    for (const { path, message, is_warning } of violations) {
      let where = path;
      while (!this.rows.has(where) && where !== '') where = where.slice(0, where.lastIndexOf('/'));
      const row = this.rows.get(where);
      const below = where === path ? '' : `${plain(path.slice(where.length))}: `;
      row.remarks.append(element('p', { className: is_warning ? 'part' : 'bad', textContent: below + plain(message) }));
      if (!is_warning) row.made.classList.add('wrong');
    }
  }

  isBroken() {
    return Array.from(this.rows.values()).some(({ broken }) => broken !== undefined);
  }
}
