'use strict';

// JSON as it is written: numbers keep their digits, and objects the order of their members, whatever
// these are called.

class Digits {
  constructor(text) { this.text = text; }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\r\n]*/y;

// Nested no deeper than the program reads.
const MAX_DEPTH = 120;

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(what) { throw new SyntaxError(`${what}, at character ${this.at + 1}`); }

  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  // Takes a sign, with the white space around it.
  sign(sign) {
    this.take(SPACE);
    if (this.text[this.at] !== sign) return false;
    this.at += 1;
    this.take(SPACE);
    return true;
  }

  value(depth) {
    if (depth > MAX_DEPTH) this.fail('it nests too deeply');
    this.take(SPACE);
    if (this.sign('{')) return this.members(depth);
    if (this.sign('[')) return this.items(depth);
    for (const [word, value] of [['null', null], ['true', true], ['false', false]]) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const string = this.take(STRING);
    if (string !== null) return JSON.parse(string);
    const number = this.take(NUMBER);
    if (number !== null) return new Digits(number);
    return this.fail('a value is expected');
  }

  members(depth) {
    const members = new Map();
    if (this.sign('}')) return members;
    do {
      const name = this.take(STRING);
      if (name === null || !this.sign(':')) this.fail('a name and a colon are expected');
      if (members.has(JSON.parse(name))) this.fail(`${name} is there twice`);
      members.set(JSON.parse(name), this.value(depth + 1));
    } while (this.sign(','));
    if (!this.sign('}')) this.fail('a comma or } is expected');
    return members;
  }

  items(depth) {
    const items = [];
    if (this.sign(']')) return items;
    do items.push(this.value(depth + 1)); while (this.sign(','));
    if (!this.sign(']')) this.fail('a comma or ] is expected');
    return items;
  }
}

// Reads JSON; throws a SyntaxError.
const readJson = text => {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.take(SPACE);
  if (reader.at < text.length) reader.fail('the value has ended');
  return value;
};

// Writes JSON; with `indent`, for people.
const writeJson = (value, indent = '', margin = '') => {
  if (value instanceof Digits) return value.text;
  const inner = margin + indent;
  const list = (open, parts, close) => {
    if (parts.length === 0) return open + close;
    if (indent === '') return open + parts.join(',') + close;
    return `${open}\n${parts.map(part => inner + part).join(',\n')}\n${margin}${close}`;
  };
  if (Array.isArray(value)) return list('[', value.map(item => writeJson(item, indent, inner)), ']');
  if (value instanceof Map) {
    const colon = indent === '' ? ':' : ': ';
    const member = ([name, part]) => JSON.stringify(name) + colon + writeJson(part, indent, inner);
    return list('{', Array.from(value, member), '}');
  }
  return JSON.stringify(value);
};

// A path as a JSON Pointer.
const pointer = path =>
  path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const at = (value, path) => path.reduce(
  (part, step) => (part instanceof Map || Array.isArray(part) ? (part instanceof Map ? part.get(step) : part[step]) : undefined),
  value,
);

// Returns the value with another part at `path`; `undefined` takes the part out.
const withPart = (value, path, part) => {
  if (path.length === 0) return part === undefined ? null : part;
  const above = at(value, path.slice(0, -1));
  const step = path.at(-1);
  if (above instanceof Map) {
    if (part === undefined) above.delete(step);
    else above.set(step, part);
  } else if (Array.isArray(above)) {
    if (part === undefined) above.splice(step, 1);
    else above[step] = part;
  }
  return value;
};
