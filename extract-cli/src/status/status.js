'use strict';

// Keeps the page up to date. Text of documents only ever becomes text of an element.

const place = id => document.getElementById(id);

const span = seconds => {
  const two = number => String(Math.floor(number)).padStart(2, '0');
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(seconds / 60 % 60)} min`;
};

// Writes a number, and hides it where there is none. Nothing is written that is there already, so
// that a selection stays.
const put = (id, value) => {
  const element = place(id);
  if (element.textContent !== value) element.textContent = value;
  if (element.parentElement.localName === 'div') element.parentElement.hidden = value === '';
};

const grouped = number => number.toLocaleString('en').replaceAll(',', '\u202f');

// What moves the text around it is shown by its number, as on the first page.
const plain = text => text.replace(
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
  c => `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
);

const numbers = seen => {
  const estimated = seen.are_tokens_estimated ? ' (estimated)' : '';
  const partly = seen.unpriced.length > 0 ? ' and more' : '';
  put('documents', seen.documents === null ? '' : grouped(seen.documents));
  put('done', grouped(seen.done));
  put('failed-count', grouped(seen.failed));
  put('resumed', seen.resumed > 0 ? grouped(seen.resumed) : '');
  put('in-flight', grouped(seen.in_flight));
  put('rate', seen.per_minute === null ? '' : seen.per_minute.toFixed(1));
  put('left', seen.left_seconds === null ? '' : span(seen.left_seconds));
  put('elapsed', span(seen.elapsed_seconds));
  put('tokens-in', grouped(seen.tokens_in) + estimated);
  put('tokens-out', grouped(seen.tokens_out));
  put('cost', seen.cost === null ? '' : seen.cost.toFixed(4) + partly);
};

const bar = seen => {
  const all = Math.max(seen.documents ?? 0, seen.done + seen.failed, 1);
  const part = count => Math.floor(count * 1000 / all);
  place('bar-done').setAttribute('width', part(seen.done));
  place('bar-failed').setAttribute('x', part(seen.done));
  place('bar-failed').setAttribute('width', part(seen.failed));
  place('bar').setAttribute('aria-label', `${seen.done} done, ${seen.failed} failed`);
};

const failure = ({ key, name, message }) => {
  const item = document.createElement('li');
  for (const [kind, text, style] of [['bdi', key, 'j'], ['strong', name, 'bad'], ['span', message, '']]) {
    const part = document.createElement(kind);
    part.textContent = plain(text);
    part.className = style;
    item.append(part, ' ');
  }
  return item;
};

let shown = '';

const failures = seen => {
  const state = JSON.stringify([seen.failures, seen.more_failures]);
  if (state === shown) return;
  shown = state;
  place('failed').hidden = seen.failures.length === 0;
  place('failures').replaceChildren(...seen.failures.map(failure));
  put('more', seen.more_failures > 0
    ? `${seen.more_failures} more before: extractable inspect JOURNAL --failed lists all.`
    : '');
};

const show = seen => {
  put('title', plain(seen.title));
  put('state', plain(seen.state));
  place('state').className = '';
  numbers(seen);
  bar(seen);
  failures(seen);
};

let since = new Date();

const look = async () => {
  let next = 1000;
  try {
    const answer = await fetch('status.json', { cache: 'no-store' });
    const seen = await answer.json();
    since = new Date();
    show(seen);
    if (seen.ended !== null) return;
  } catch {
    put('state', `The program does not answer; this is the state of ${since.toLocaleTimeString()}.`);
    place('state').className = 'bad';
    next = 3000;
  }
  setTimeout(look, next);
};

look();
