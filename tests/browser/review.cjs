// Reviews jobs as a person does. Usage: node review.cjs <extractable> <folder of review-job.cjs>; with --look <folder for
// screenshots>, only looks at the page at the widths of a phone and of a desk.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { isDeepStrictEqual } = require("node:util");
const { chromium } = require("playwright-core");
const { HOSTILE, ORDERS, truth, letter, json } = require("./review-job.cjs");

const [program, folder] = process.argv.slice(2);

/** Starts a review; returns its link and how to end it. */
function serve(...args) {
  const child = spawn(program, ["review", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error(`the program ended: ${said}`)));
    child.stderr.on("data", (data) => {
      said += data;
      const link = /the review is at (\S+)/.exec(said)?.[1];
      if (link) resolve({ link, end: () => new Promise((ended) => { child.removeAllListeners("exit").on("exit", ended); child.kill("SIGINT"); }), kill: () => child.kill("SIGKILL") });
    });
  });
}

/** Opens a page; `said` collects every message of the console and every request to elsewhere. */
async function open(browser, link, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.said = [];
  const origin = new URL(link).origin;
  page.on("console", (message) => page.said.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.said.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => { if (dialog.type() !== "beforeunload") page.said.push(`dialog: ${dialog.message()}`); dialog.accept(); });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith("data:")) page.said.push(`request: ${request.url()}`);
  });
  await page.goto(link);
  await page.waitForSelector("#form [data-path]");
  return page;
}

async function close(page) {
  assert.deepEqual(page.said, [], "the page said something or asked for something");
  await page.context().close();
}

/** Reads JSON; the number that a double would round is a string. */
const exact = (text) => JSON.parse(text.replace('"total":9007199254740993', '"total":"9007199254740993"'));
const right = (nth) => exact(json(truth(nth)));
const nthOf = (key) => Number(/(\d+)\.txt/.exec(key)[1]);

const focusedPath = (page) => page.evaluate(() => document.activeElement.closest("[data-path]")?.dataset.path);
const keyOf = (page) => page.textContent("#key");
const valueOf = (page) => page.evaluate(() => writeJson(form.value));

/** Goes to a field by the keyboard alone. */
async function go(page, where) {
  for (let way = 0; way < 2; way += 1) {
    for (let steps = 0; steps < 60; steps += 1) {
      if ((await focusedPath(page)) === where) return;
      await page.keyboard.press(way === 0 ? "j" : "k");
    }
  }
  throw new Error(`no field ${where}`);
}

async function type(page, where, text) {
  await go(page, where);
  await page.keyboard.press("e");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text);
  await page.keyboard.press("Escape");
  assert.equal(await focusedPath(page), where);
}

/** Makes the value on the page right, where it differs, by the keyboard alone. */
async function correct(page, wanted) {
  const now = exact(await valueOf(page)) ?? {};
  const differs = (name) => !isDeepStrictEqual(now[name] ?? null, wanted[name] ?? null);
  if (differs("number")) await type(page, "/number", wanted.number);
  if (differs("currency")) {
    await go(page, "/currency");
    await page.keyboard.press(String(["EUR", "USD", "GBP"].indexOf(wanted.currency) + 1));
  }
  if (differs("due")) {
    await go(page, "/due");
    if (wanted.due === null) await page.keyboard.press("x");
    else {
      const [year, month, day] = wanted.due.split("-");
      await page.keyboard.press("e");
      await page.keyboard.type(month + day + year);
      await page.keyboard.press("Escape");
    }
  }
  if (differs("total")) await type(page, "/total", String(wanted.total));
  if (differs("express")) {
    await go(page, "/express");
    await page.keyboard.press(wanted.express ? "1" : "2");
  }
  if (differs("note")) {
    await go(page, "/note");
    await page.keyboard.press("x");
  }
  if (differs("payment")) {
    if (now.payment?.kind !== wanted.payment.kind) {
      await go(page, "/payment");
      if (now.payment === undefined || now.payment === null) await page.keyboard.press("e");
      await go(page, "/payment");
      await page.keyboard.press(wanted.payment.kind === "card" ? "1" : "2");
    }
    const member = wanted.payment.kind === "card" ? "holder" : "iban";
    await type(page, `/payment/${member}`, wanted.payment[member]);
  }
  if (differs("city")) {
    await go(page, "/city");
    if ((now.city ?? null) === null) await page.keyboard.press("Enter");
    if ((now.city ?? null) === null) await page.keyboard.press("Enter");
    await type(page, "/city/value", wanted.city.value);
    await type(page, "/city/quote", wanted.city.quote);
  }
  if (differs("lines")) {
    await go(page, "/lines");
    for (let count = now.lines.length; count < wanted.lines.length; count += 1) {
      await go(page, "/lines");
      await page.keyboard.press("+");
      await type(page, `/lines/${count}/item`, wanted.lines[count].item);
      await type(page, `/lines/${count}/count`, String(wanted.lines[count].count));
    }
    for (let count = now.lines.length; count > wanted.lines.length; count -= 1) {
      await go(page, `/lines/${count - 1}`);
      await page.keyboard.press("-");
    }
  }
  for (const name of ["labels", "other"]) {
    if (!differs(name)) continue;
    // Free names, and what no field expresses: by the keyboard too, in their controls.
    if (name === "other") await type(page, "/other", JSON.stringify(wanted.other));
    else {
      await go(page, "/labels");
      await page.keyboard.press("Enter");
      await go(page, "/labels");
      await page.keyboard.press("e");
      await page.keyboard.type("shelf");
      await page.keyboard.press("Enter");
      await type(page, "/labels/shelf", wanted.labels.shelf);
    }
  }
}

async function reviewsByKeyboard(browser) {
  const gold = path.join(folder, "orders.jsonl.gold.jsonl");
  const args = ["orders.jsonl", "--schema", "order.json", "letters", "--reviewer", "ann", "--sample", "30"];
  const review = await serve(...args);
  const page = await open(browser, review.link);
  assert.match(await page.textContent("#documents .document small"), /failed/, "those that failed come first");
  const seen = new Set();
  for (let count = 0; count < ORDERS; count += 1) {
    const key = await keyOf(page);
    assert.ok(!seen.has(key), `${key} twice`);
    seen.add(key);
    await correct(page, right(nthOf(key)));
    await page.keyboard.press("a");
    await page.waitForFunction(([before, last]) => place("key").textContent !== before || (last && place("message").textContent.includes("reviewed")), [key, count === ORDERS - 1], { timeout: 15000 })
      .catch(async () => { throw new Error(`${key}: ${await page.textContent("#message")} ${await page.textContent("#form")}`); });
    // It is on the disk at once.
    assert.equal(fs.readFileSync(gold, "utf8").trimEnd().split("\n").length, count + 1);
  }
  await page.waitForFunction((count) => place("numbers").textContent.startsWith(`${count} of ${count} reviewed`), ORDERS);
  // Undo takes the last decision back, and accepting it again keeps it.
  await page.keyboard.press("u");
  await page.waitForFunction((count) => place("numbers").textContent.startsWith(`${count - 1} of ${count} reviewed`), ORDERS);
  await correct(page, right(nthOf(await keyOf(page))));
  await page.keyboard.press("a");
  await page.waitForFunction((count) => place("numbers").textContent.startsWith(`${count} of ${count} reviewed`), ORDERS);
  await close(page);
  // As in a crash.
  review.kill();
  const last = new Map(fs.readFileSync(gold, "utf8").trimEnd().split("\n").map((line) => [JSON.parse(line).key, line]));
  assert.equal(last.size, ORDERS);
  for (const [key, line] of last) {
    const document = exact(line);
    assert.deepEqual(document.value, right(nthOf(key)), key);
    assert.equal(document.text, letter(nthOf(key)));
    assert.equal(document.checked_by, "ann");
  }
}

/** Mouse, selection, violations, and two people. */
async function setsQuotesAndMeetsOthers(browser) {
  const [one, other] = await Promise.all([serve("orders.jsonl", "--schema", "order.json", "letters", "--gold", "two.jsonl", "--reviewer", "ann"), serve("orders.jsonl", "--schema", "order.json", "letters", "--gold", "two.jsonl", "--reviewer", "bob")]);
  const [ann, bob] = [await open(browser, one.link), await open(browser, other.link)];
  for (const page of [ann, bob]) {
    await page.fill("#search", "02.txt");
    await page.selectOption("#show", "all");
    await page.press("#search", "Enter");
    await page.waitForFunction(() => place("key").textContent.endsWith("02.txt"));
  }
  // The selected words become the quote of the city, and its violation goes.
  await ann.focus('[data-path="/city/value"]');
  await ann.keyboard.press("x");
  assert.equal(await ann.evaluate(() => form.value.get("city")), null, "with its quote");
  await ann.keyboard.press("u");
  const select = (page, words) => page.evaluate((words) => {
    const start = text.text.indexOf(words);
    getSelection().removeAllRanges();
    getSelection().addRange(text.range(start, start + words.length));
  }, words);
  await ann.focus('[data-path="/city/quote"]');
  await select(ann, "send it to Bari");
  await ann.click("#quote");
  assert.equal(await ann.evaluate(() => form.value.get("city").get("quote")), "send it to Bari");
  await type(ann, "/city/quote", "to Rome");
  await ann.waitForSelector('[data-path="/city"] .remarks .bad, [data-path="/city/quote"] .remarks .bad');
  await ann.click("#accept");
  await ann.waitForFunction(() => place("message").textContent.includes("does not conform"));
  await ann.keyboard.press("u");
  await ann.waitForFunction(() => document.querySelector(".wrong[data-path]") === null);
  // A place in the text leads to its field.
  assert.ok(await ann.evaluate(() => Array.from(CSS.highlights.values()).some((marks) => marks.size > 0)));
  await ann.evaluate(() => getSelection().removeAllRanges());
  const at = await ann.evaluate(() => { const { start, end } = text.places.find(({ path }) => path === "/number"); const box = text.range(start, end).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; });
  await ann.mouse.click(...at);
  assert.equal(await focusedPath(ann), "/number");
  // Digits stay as they are typed.
  await type(ann, "/total", "1.10");
  assert.ok((await valueOf(ann)).includes('"total":1.10'));
  await ann.click("#accept");
  await ann.waitForFunction(() => !place("key").textContent.endsWith("02.txt") || place("message").textContent.includes("Kept"));
  // Bob did not see that.
  await type(bob, "/note", "by phone");
  await bob.keyboard.press("a");
  await bob.waitForFunction(() => place("message").textContent.includes("ann decided"));
  assert.ok((await valueOf(bob)).includes('"total":1.1'), "hers is shown");
  await bob.keyboard.press("u");
  assert.ok((await valueOf(bob)).includes("by phone"), "his comes back");
  assert.equal(fs.readFileSync(path.join(folder, "two.jsonl"), "utf8").trimEnd().split("\n").length, 1);
  // A program that has gone loses nothing.
  await other.end();
  await bob.keyboard.press("a");
  await bob.waitForFunction(() => place("message").textContent.includes("does not answer"));
  assert.ok((await valueOf(bob)).includes("by phone"));
  // A browser may have opened a connection before the program went away.
  const isExpected = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|409|422/;
  bob.said = bob.said.filter((line) => !isExpected.test(line));
  ann.said = ann.said.filter((line) => !line.includes("422"));
  await close(ann);
  await close(bob);
  await one.end();
}

/** What other chunks and samples said is a click away, and can be undone. */
async function takesOtherStatements(browser) {
  for (const [name, said, before, after] of [["chunks", "also: 3", 2, 3], ["samples", "another sample: 2", 3, 2]]) {
    const review = await serve(`${name}-out.jsonl`, "--fields", "guests int", "--key", "id", `${name}.jsonl`);
    const page = await open(browser, review.link);
    const guests = () => page.evaluate(() => writeJson(form.value));
    assert.equal(await guests(), `{"guests":${before}}`);
    const buttons = page.locator('[data-path="/guests"] .others button');
    assert.deepEqual(await buttons.allTextContents(), [said]);
    await buttons.click();
    assert.equal(await guests(), `{"guests":${after}}`);
    await page.keyboard.press("u");
    assert.equal(await guests(), `{"guests":${before}}`);
    await buttons.click();
    await page.click("#accept");
    await page.waitForFunction(() => place("message").textContent.includes("reviewed"));
    const line = fs.readFileSync(path.join(folder, `${name}-out.jsonl.gold.jsonl`), "utf8");
    assert.deepEqual(JSON.parse(line).value, { guests: after });
    await close(page);
    await review.end();
  }
}

/** Only what can be seen is on the page. */
async function lists5000Documents(browser) {
  const review = await serve("messages.jsonl", "--fields", "guests int", "--key", "id", "many.jsonl");
  const page = await open(browser, review.link);
  await page.selectOption("#show", "all");
  await page.waitForFunction(() => place("count").textContent === "5000 documents");
  const nodes = () => page.evaluate(() => document.querySelectorAll("*").length);
  for (const share of [0, 0.3, 0.77, 1]) {
    await page.evaluate((share) => { place("list").scrollTop = share * place("list").scrollHeight; }, share);
    await page.waitForFunction(() => Array.from(document.querySelectorAll(".document"), (row) => row.textContent).every((text) => text !== "") && document.querySelectorAll(".document").length > 10);
    assert.ok((await nodes()) < 400, `${await nodes()} elements at ${share}`);
  }
  await page.waitForSelector('.document:last-child[aria-posinset="5000"]');
  await page.click(".document:last-child");
  await page.waitForFunction(() => document.querySelector(".document[aria-selected=true]")?.getAttribute("aria-posinset") === "5000");
  await page.fill("#search", "MESSAGE 4711");
  await page.waitForFunction(() => place("count").textContent === "1 document");
  await close(page);
  await review.end();
}

/** Texts and values that try to be more than that. */
async function survivesHostileDocuments(browser) {
  const review = await serve("evil-out.jsonl", "--schema", "evil.json", "--key", "id", "evil.jsonl");
  const page = await open(browser, review.link);
  const texts = new Map(fs.readFileSync(path.join(folder, "evil.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)).map(({ id, text }) => [id, text]));
  const value = fs.readFileSync(path.join(folder, "evil.txt"), "utf8");
  const all = texts.size;
  for (let count = 0; count < all; count += 1) {
    const key = await page.evaluate(() => shown.key);
    const text = texts.get(key);
    texts.delete(key);
    const onPage = await page.evaluate(() => place("words").textContent);
    // Beyond a number of labels, hidden characters are replaced one for one.
    const visible = (string) => string.replace(/[\u202e\ufffd]/g, "?");
    assert.equal(visible(onPage), visible(text));
    const labels = await page.evaluate(() => document.querySelectorAll("#words i").length);
    assert.ok(labels <= 2000, `${labels} labels`);
    assert.equal(await page.evaluate(() => document.querySelectorAll("img, script:not([src]), b").length), 0);
    assert.ok(!(await page.evaluate(() => place("form").textContent + place("list").textContent + place("key").textContent)).includes("\u202e"));
    assert.equal(await valueOf(page), value, "the value keeps its members and their order");
    assert.equal(await page.inputValue('[data-path="/name"] textarea'), HOSTILE.replace("\r", "\n"));
    assert.match(await page.textContent('[data-path="/name"] .hidden'), /U\+202E/, "what a control does not show is named");
    await page.keyboard.press("a");
    const isLast = count === all - 1;
    await page.waitForFunction(([before, isLast]) => shown.key !== before || (isLast && place("message").textContent.includes("reviewed")), [key, isLast], { timeout: 60000 })
      .catch(async () => { throw new Error(`${count}: ${await page.textContent("#message")}`); });
  }
  assert.equal(texts.size, 0);
  const gold = fs.readFileSync(path.join(folder, "evil-out.jsonl.gold.jsonl"), "utf8").trimEnd().split("\n");
  assert.equal(gold.length, all);
  assert.ok(gold.every((line) => JSON.stringify(JSON.parse(line).value) === JSON.stringify(JSON.parse(value))));
  await close(page);
  await review.end();
}

/** Screenshots of an order that failed, and of one with values that try to be more than that. */
async function look(shots) {
  const pages = [["review", ["orders.jsonl", "--schema", "order.json", "letters", "--gold", "look.jsonl"]], ["reviewhostile", ["short-out.jsonl", "--schema", "evil.json", "--key", "id", "short.jsonl", "--gold", "look-evil.jsonl"]]];
  for (const [name, args] of pages) {
    const review = await serve(...args);
    execFileSync(process.execPath, [path.join(__dirname, "look.cjs"), shots, `${name}=${review.link}`], { stdio: "inherit" });
    await review.end();
  }
}

(async () => {
  if (process.argv[4] === "--look") return look(path.resolve(process.argv[5]));
  for (const gold of ["orders.jsonl.gold.jsonl", "two.jsonl", "evil-out.jsonl.gold.jsonl", "chunks-out.jsonl.gold.jsonl", "samples-out.jsonl.gold.jsonl"]) fs.rmSync(path.join(folder, gold), { force: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] });
  for (const test of [reviewsByKeyboard, setsQuotesAndMeetsOthers, takesOtherStatements, lists5000Documents, survivesHostileDocuments]) {
    if (process.env.ONLY && process.env.ONLY !== test.name) continue;
    const start = Date.now();
    await test(browser);
    console.log(`ok ${test.name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  }
  await browser.close();
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
