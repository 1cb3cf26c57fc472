'use strict';

const place = id => document.getElementById(id);

// The secret of the link. It is sent in a header, which no other site can do.
const token = location.hash.slice(1);

const ask = async (path, sent) => {
  const headers = { 'X-Extractable-Token': token };
  const options = sent === undefined ? { headers } : {
    method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(sent),
  };
  const answer = await fetch(path, { cache: 'no-store', ...options });
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json');
  const body = isJson ? await answer.json() : { message: await answer.text() };
  if (answer.ok) return body;
  throw Object.assign(new Error(body.message ?? `the program answered ${answer.status}`), { status: answer.status, body });
};

const say = (message, style = '') => {
  place('message').textContent = plain(message);
  place('message').className = style;
};

// A failed request leaves everything as it is on the page.
const trying = async action => {
  try {
    return await action();
  } catch (error) {
    say(error.status === undefined ? `The program does not answer; your edits are still here. (${error.message})` : error.message, 'bad');
    return undefined;
  }
};

// Steps of one document that can be undone.
const MAX_STEPS = 200;

let overview;
let form;
let list;
// The document on the page.
let shown;
// Edits that were not accepted, by the number of the document.
const drafts = new Map();
// Decisions of this page, the last one last.
const decisions = [];
const text = new MarkedText(place('words'));

// ---- judging ----

let judging = 0;
let waiting;

const judgeSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(judge, 200);
};

const remark = ({ violations, more, places }) => {
  form.remark(violations);
  text.mark(places, members());
  place('state').textContent = state();
  const wrong = violations.filter(violation => !violation.is_warning).length + more;
  place('accept').classList.toggle('wrong', wrong > 0);
  point();
};

const judge = async () => {
  judging += 1;
  const [now, index] = [judging, shown.index];
  const judged = await trying(() => ask('judge', { index, value: writeJson(form.value) }));
  // A later edit is judged by itself.
  if (judged !== undefined && now === judging && index === shown.index) remark(judged);
};

// Pointers of the members of the value, which have a colour each.
const members = () => {
  const root = form.value;
  if (root instanceof Map) return Array.from(root.keys(), name => pointer([name]));
  return Array.isArray(root) ? root.slice(0, 100).map((_, index) => pointer([index])) : [''];
};

const point = () => {
  const where = form.focused()?.dataset.path;
  if (where !== undefined) text.point(where);
};

// ---- one document ----

const before = where => {
  const draft = drafts.get(shown.index) ?? { steps: [] };
  drafts.set(shown.index, draft);
  // A word that is typed is one step.
  if (where !== null && draft.last === where) return;
  draft.last = where;
  draft.steps.push(writeJson(form.value));
  if (draft.steps.length > MAX_STEPS) draft.steps.shift();
};

const changed = () => {
  const draft = drafts.get(shown.index);
  if (draft !== undefined) draft.value = writeJson(form.value);
  say('');
  judgeSoon();
};

const state = () => {
  const said = [REASONS[shown.reason]];
  if (shown.decided_by !== null) said.push(`reviewed by ${plain(shown.decided_by)}${shown.decided_at === null ? '' : `, ${shown.decided_at.slice(0, 16).replace('T', ' ')}`}`);
  if (drafts.has(shown.index)) said.push('edited, not accepted');
  if (shown.is_cut) said.push('the text is longer than a page can show');
  return said.join(' · ');
};

const grouped = facts => {
  const by = new Map();
  for (const fact of facts) by.set(fact.path, [...(by.get(fact.path) ?? []), fact]);
  return by;
};

const showValue = json => {
  form.more.clear();
  form.show(json === null ? form.initial(form.root) : readJson(json));
};

// An image as a link to its own data, which the policy of the page allows.
const image = async index => {
  const answer = await fetch(`image?index=${index}`, { cache: 'no-store', headers: { 'X-Extractable-Token': token } });
  if (!answer.ok) throw Object.assign(new Error(await answer.text()), { status: answer.status });
  const data = await answer.blob();
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(data);
  });
};

// What there is instead of a text: the image, or a sentence.
const showOther = async document_ => {
  const say_ = sentence => place('words').replaceChildren(element('p', { className: 'w', textContent: sentence }));
  if (document_.media_type === null) return say_('This document was not given, so its value can be looked at only.');
  if (!document_.is_image) return say_(`This document is ${document_.media_type}, which the page does not show. Open its file, and review the value here.`);
  say_('The image is being read.');
  const src = await trying(() => image(document_.index));
  // Another document may be on the page by now.
  if (src === undefined || document_ !== shown) return undefined;
  const picture = element('img', { className: 'picture', src, alt: `The document ${plain(document_.key)}` });
  picture.onerror = () => { if (document_ === shown) say_('The browser cannot show this image. Open its file, and review the value here.'); };
  place('words').replaceChildren(picture);
  return undefined;
};

const showDocument = document_ => {
  shown = document_;
  place('key').textContent = plain(shown.key);
  place('failure').hidden = shown.failure === null;
  place('failure').textContent = plain((shown.failure ?? '').slice(0, 2000));
  text.show(shown.text ?? '');
  if (shown.text === null) showOther(shown);
  place('words').scrollTop = 0;
  form.facts = { unsure: new Map(shown.unsure.map(({ path, confidence }) => [path, confidence])), others: grouped(shown.others) };
  showValue(drafts.get(shown.index)?.value ?? shown.value);
  place('state').textContent = state();
  place('panel').scrollTop = 0;
  judge();
};

const open = async ({ index }) => {
  const found = await trying(() => ask(`document.json?index=${index}`));
  if (found === undefined) return;
  showDocument(found);
  say('');
  // Who goes through the list by its keys stays there.
  if (document.activeElement === place('list')) return;
  // The first field that needs a look has the focus.
  const first = shown.unsure.find(({ path }) => form.rows.has(path))?.path ?? Array.from(form.rows.keys()).find(where => where !== '') ?? '';
  form.focus(first);
};

// ---- decisions ----

const numbers = async () => {
  const seen = await trying(() => ask('estimate.json'));
  if (seen === undefined) return;
  const percent = share => `${Math.round(share * 100)} %`;
  const said = [`${seen.reviewed} of ${seen.documents} reviewed`];
  if (seen.reviewed > 0) said.push(`${seen.right} right as they were (${percent(seen.right / seen.reviewed)})`);
  if (seen.open > 0) said.push(`${seen.open} to look at`);
  if (seen.rest > 0) {
    said.push(seen.rest_right === null
      ? `nothing is known of the other ${seen.rest}: none of the sample was reviewed`
      : `of the other ${seen.rest}, ${percent(seen.rest_right.value)} right is expected (${percent(seen.rest_right.low)} to ${percent(seen.rest_right.high)}, by ${seen.sampled} of the sample; threshold ${overview.threshold})`);
  }
  place('numbers').textContent = said.join(' · ');
};

// Another reviewer was faster: their value is shown, and the own one is the step before it.
const superseded = now => {
  const mine = writeJson(form.value);
  drafts.set(now.index, { steps: [mine], value: now.value ?? mine });
  list.decided(now.index, now.decided_by);
  showDocument(now);
  say(`${now.decided_by ?? 'Somebody'} decided about this document since. Their value is shown, nothing was overwritten; Undo brings yours back.`, 'bad');
};

// Sends a decision; returns whether it was kept.
const send = async (path, document_, value) => {
  try {
    const { version } = await ask(path, { index: document_.index, version: document_.version, value });
    document_.version = version;
    return true;
  } catch (error) {
    if (error.status === 409) superseded(error.body);
    else if (error.status === 422 && error.body.violations !== undefined) {
      remark(error.body);
      say('The value does not conform, so it was not accepted.', 'bad');
    } else throw error;
    return false;
  }
};

let isSending = false;

const accept = async () => {
  if (isSending) return;
  if (form.isBroken()) return say('A part is no JSON, so the value was not accepted.', 'bad');
  isSending = true;
  const [document_, value] = [shown, writeJson(form.value)];
  const decided = document_.decided_by === null ? null : document_.value;
  const isKept = await trying(() => send('decide', document_, value));
  isSending = false;
  if (isKept !== true) return;
  decisions.push({ index: document_.index, key: document_.key, decided, version: document_.version });
  drafts.delete(document_.index);
  Object.assign(document_, { value, decided_by: overview.reviewer, decided_at: null });
  list.decided(document_.index, overview.reviewer);
  numbers();
  const hasNext = await list.nextOpen();
  if (!hasNext) place('state').textContent = state();
  say(hasNext ? `Kept: ${document_.key}` : `Kept: ${document_.key}. Every document of this list is reviewed.`, 'ok');
};

const undo = async () => {
  const draft = drafts.get(shown.index);
  if (draft !== undefined && draft.steps.length > 0) {
    showValue(draft.steps.pop());
    draft.last = undefined;
    draft.value = writeJson(form.value);
    if (draft.steps.length === 0 && draft.value === shown.value) drafts.delete(shown.index);
    place('state').textContent = state();
    say('The last edit was undone.');
    return judge();
  }
  const last = decisions.at(-1);
  if (last === undefined) return say('There is nothing to undo.');
  const document_ = shown.index === last.index ? shown : await trying(() => ask(`document.json?index=${last.index}`));
  if (document_ === undefined) return undefined;
  showDocument(document_);
  // Only the own decision is taken back.
  document_.version = last.version;
  const isKept = await trying(() => (last.decided === null ? send('withdraw', document_, '') : send('decide', document_, last.decided)));
  if (isKept === undefined) return undefined;
  decisions.pop();
  if (!isKept) return undefined;
  const again = await trying(() => ask(`document.json?index=${last.index}`));
  if (again !== undefined) {
    showDocument(again);
    list.decided(last.index, again.decided_by);
    say(`The decision about ${last.key} was taken back.`);
  }
  return numbers();
};

// ---- keys ----

const isTyping = target => target.matches('input, textarea, select');

const useSelection = () => {
  const words = text.selected();
  const row = form.focused() ?? lastRow();
  say(words === '' ? 'Select words in the text first.' : form.use(row, words) ?? '', 'bad');
};

// The field that had the focus before the text got it.
let lastWhere = '';
const lastRow = () => form.rows.get(lastWhere)?.made ?? null;

const KEYS = {
  j: () => form.move(1), ArrowDown: () => form.move(1),
  k: () => form.move(-1), ArrowUp: () => form.move(-1),
  e: () => form.edit(form.focused()), Enter: () => form.edit(form.focused()),
  x: () => say(form.nothing(form.focused() ?? lastRow()) ?? '', 'bad'),
  q: useSelection,
  '+': () => { const list_ = form.around(form.focused() ?? lastRow()); if (list_ !== undefined) form.add(list_.path); },
  '-': () => {
    const list_ = form.around(form.focused() ?? lastRow());
    if (list_?.index === undefined) return;
    form.reshape([...list_.path, list_.index], undefined);
    form.focus(pointer(list_.path));
  },
  a: accept, u: undo,
  n: () => list.choose(list.position + 1), p: () => list.choose(list.position - 1),
  t: () => place('words').focus(),
  '/': () => place('search').focus(),
  '?': () => place('help').showModal(),
};

const onKey = event => {
  if (event.defaultPrevented || event.isComposing || place('help').open || form === undefined || shown === undefined) return;
  const { key, target } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  let action;
  if (isTyping(target)) {
    const isEnd = key === 'Escape' || (key === 'Enter' && !event.shiftKey && !isCommand && !target.matches('.json, [type=search]'));
    if (key === 'Enter' && isCommand) action = accept;
    else if (isEnd) action = () => form.focus(form.focused()?.dataset.path ?? lastWhere);
  } else if (!isCommand && !event.altKey) {
    // The text scrolls by the arrows, and a button is pressed by Enter.
    const isOwn = (place('words').contains(target) && key.startsWith('Arrow')) || (target.matches('button') && key === 'Enter');
    if (/^[1-9]$/.test(key)) action = () => form.choose(form.focused(), Number(key) - 1);
    else if (!isOwn) action = KEYS[key];
  }
  if (action === undefined) return;
  event.preventDefault();
  action();
};

// ---- start ----

const start = async () => {
  overview = await ask('overview.json');
  document.title = `Review: ${plain(overview.title)}`;
  place('title').textContent = plain(overview.title);
  form = new Form(overview.form, place('form'), { before, changed });
  list = new DocumentList(place('list'), {
    ask,
    chosen: open,
    counted: total => { place('count').textContent = `${total} document${total === 1 ? '' : 's'}`; },
  });
  await list.load();
  numbers();
  if (list.total === 0) place('show').value = list.show = 'all';
  if (list.total === 0) await list.load();
  const hasOpen = await list.nextOpen();
  if (!hasOpen) await list.choose(0);
  setInterval(numbers, 15000);
};

const reload = () => trying(async () => {
  list.position = -1;
  await list.load();
});

place('show').onchange = () => { list.show = place('show').value; reload(); };
let searching;
place('search').oninput = () => {
  clearTimeout(searching);
  searching = setTimeout(() => { list.search = place('search').value; reload(); }, 200);
};
place('search').onkeydown = event => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  clearTimeout(searching);
  list.search = place('search').value;
  reload().then(() => list.choose(0));
};
for (const [id, action] of Object.entries({
  accept, undo, quote: useSelection, keys: KEYS['?'], next: KEYS.n, previous: KEYS.p,
})) {
  // The selection and the field with the focus stay.
  place(id).onpointerdown = event => event.preventDefault();
  place(id).onclick = () => { if (shown !== undefined || id === 'keys') action(); };
}
place('form').addEventListener('focusin', () => {
  lastWhere = form.focused()?.dataset.path ?? lastWhere;
  point();
});
place('words').onclick = event => {
  if (!getSelection().isCollapsed) return;
  const where = text.pathAt(event.clientX, event.clientY);
  if (where !== undefined && form.rows.has(where)) form.focus(where);
};
document.addEventListener('keydown', onKey);
addEventListener('beforeunload', event => { if (drafts.size > 0) event.preventDefault(); });

start().catch(error => say(error.message, 'bad'));
