// Looks at the pages of `Document::view`, and at the report of a job, as a reader does. Usage: node view.cjs <folder with note.html,
// long.html, order.html and job/report>
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const folder = path.resolve(process.argv[2]);
const note = pathToFileURL(path.join(folder, "note.html")).href;
const order = pathToFileURL(path.join(folder, "order.html")).href;
const report = pathToFileURL(path.join(folder, "job/report/index.html")).href;
const long = pathToFileURL(path.join(folder, "long.html")).href;

// Generous, because the machine may have other work to do. Without it, the page takes about a tenth of this.
const LONG_MS = 20_000;

/** Opens a page; `said` collects every message of the console and every request but the page itself. */
async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 }, ...options });
  const page = await context.newPage();
  page.said = [];
  page.on("console", (message) => page.said.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.said.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) page.said.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

async function close(page) {
  assert.deepEqual(page.said, [], "the page said something or asked for something");
  await page.context().close();
}

/** Whether the element can be seen in its pane. */
const isInView = (page, selector) =>
  page.$eval(selector, (element) => {
    const at = element.getBoundingClientRect();
    return at.top >= 0 && at.bottom <= innerHeight && at.height > 0;
  });

const lineOf = (page, selector) => page.$eval(selector, (mark) => getComputedStyle(mark).borderBottomColor);
const TRANSPARENT = "rgba(0, 0, 0, 0)";

/** The relative contrast of two colours of the page, as in WCAG 2.2. */
const contrast = (page, fore, back) =>
  page.evaluate(([fore, back]) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const luminance = (name) => {
      const probe = document.createElement("p");
      document.body.append(probe);
      probe.style.color = name;
      canvas.fillStyle = getComputedStyle(probe).color;
      probe.remove();
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = Array.from(canvas.getImageData(0, 0, 1, 1).data, (part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [light, dark] = [luminance(fore), luminance(back)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }, [fore, back]);

const tests = {
  async "a document with a script in it is text"(browser) {
    const page = await open(browser, note);
    assert.equal(await page.$$eval("script", (all) => all.length), 1);
    assert.match(await page.textContent("#text"), /reads <script>alert\("troponin"\)<\/script> & was/);
    await close(page);
  },

  async "a control that turns text around turns nothing but itself around"(browser) {
    const page = await open(browser, note);
    const lefts = await page.evaluate(() => {
      const control = document.querySelector("#text [data-c='U+202E']");
      const after = control.nextSibling;
      const left = (at) => {
        const range = document.createRange();
        range.setStart(after, at);
        range.setEnd(after, at + 1);
        return range.getBoundingClientRect().left;
      };
      return [after.textContent, left(0), left(1), left(3)];
    });
    assert.equal(lefts[0], "gm 5");
    assert.ok(lefts[1] < lefts[2] && lefts[2] < lefts[3], `${lefts}`);
    await close(page);
  },

  async "a place leads to its mark and a mark back to its row, also without a script"(browser) {
    for (const javaScriptEnabled of [true, false]) {
      for (const viewport of [{ width: 1360, height: 500 }, { width: 390, height: 700 }]) {
        const page = await open(browser, note, { javaScriptEnabled, viewport });
        await page.click("#values a[href^='#m'] >> nth=-1");
        const mark = new URL(page.url()).hash;
        assert.match(mark, /^#m\d+$/);
        assert.ok(await isInView(page, mark), `${mark} is out of sight at ${viewport.width}`);
        await page.click(mark);
        const row = new URL(page.url()).hash;
        assert.match(row, /^#r\d+$/);
        assert.ok(await isInView(page, row), `${row} is out of sight at ${viewport.width}`);
        await close(page);
      }
    }
  },

  async "a switch hides the marks and the rows of its field, also without a script"(browser) {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open(browser, note, { javaScriptEnabled });
      const [name] = (await page.getAttribute("#values tr[id] >> nth=0", "class")).split(" ");
      assert.notEqual(await lineOf(page, `#text li .${name}`), TRANSPARENT);
      await page.uncheck(`#c${name.slice(1)}`);
      assert.equal(await lineOf(page, `#text li .${name}`), TRANSPARENT);
      assert.equal(await page.isVisible(`#values tr.${name}`), false);
      assert.notEqual(await lineOf(page, "#text li .f1"), TRANSPARENT);
      await page.check(`#c${name.slice(1)}`);
      assert.equal(await page.isVisible(`#values tr.${name}`), true);
      await close(page);
    }
  },

  async "the header says what the page is about"(browser) {
    const page = await open(browser, note);
    assert.equal(await page.textContent("h1"), "Discharge note of 5 March");
    const facts = await page.$$eval("header dl div", (all) => all.map((one) => Array.from(one.children, (part) => part.textContent)));
    assert.deepEqual(facts, [["type", "Note"], ["agent", "scripted"], ["date", "2026-03-05"]]);
    await close(page);
  },

  async "the rows of an item are together, and empty ones are folded away, also without a script"(browser) {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open(browser, order, { javaScriptEnabled });
      const headings = await page.$$eval("#values .i", (all) => all.map((one) => one.innerText.replace(/\s+/g, " ").trim()));
      assert.deepEqual(headings, ["$.lines[0] desk lamps 1 empty", "$.lines[1] screws 1 empty"]);
      const shown = () => page.$$eval("#values tr[id]", (rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.cells[0].querySelector("bdi").textContent));
      assert.equal((await shown()).length, 9);
      await page.check("#sz");
      assert.deepEqual((await shown()).sort(), ["$.discount", "$.lines[0].delivered", "$.lines[1].colour", "$.remark"]);
      await page.check("#sd");
      assert.deepEqual(await shown(), ["$.lines[0].quantity", "$.lines[0].unit_price"]);
      assert.equal(await page.isVisible("#values .i >> nth=1"), false, "the heading of an item without such a row");
      await page.click("#values tr:visible a[href^='#h']");
      assert.ok(await isInView(page, new URL(page.url()).hash));
      await page.check("#sa");
      assert.equal((await shown()).length, 13);
      await close(page);
    }
  },

  async "a state shows what is in conflict, with a way to the statements"(browser) {
    const page = await open(browser, note);
    await page.check("#sk");
    assert.equal(await page.$$eval("#values tr[id]", (rows) => rows.filter((row) => row.checkVisibility()).length), 1);
    await page.click("#values tr:visible th a");
    assert.match(await page.textContent(new URL(page.url()).hash), /kept/);
    await close(page);
  },

  async "a search finds words in the text, over the ends of lines, and in the values"(browser) {
    const page = await open(browser, order);
    await page.keyboard.press("/");
    await page.keyboard.type("AND 1250");
    await page.waitForFunction(() => document.querySelector("#find output").textContent !== "");
    assert.equal(await page.textContent("#find output"), "1 in the text, 0 in the values");
    assert.equal(await page.isVisible("#none"), true);
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#find output"), "1 of 1 in the text, 0 in the values");
    const here = await page.evaluate(() => Array.from(CSS.highlights.get("here")).map(String));
    assert.deepEqual(here.map((words) => words.replace(/\s+/g, " ")), ["and 1250"]);
    await page.fill("[type=search]", "delivered");
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#find output"), "0 in the text, 1 in the values, 1 more not shown");
    // Characters with a meaning in a pattern have none here.
    await page.fill("[type=search]", "(.*)+[");
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#find output"), "0 in the text, 0 in the values");
    await page.fill("[type=search]", "");
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#find output"), "");
    assert.equal(await page.$$eval("#values tr[hidden]", (all) => all.length), 0);
    await close(page);
  },

  async "a field can be chosen, and a mark of another field leads to its row all the same"(browser) {
    const page = await open(browser, order);
    await page.selectOption("#choice select", { label: "lines.quantity (2)" });
    const shown = () => page.$$eval("#values tr[id]", (rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.cells[1].textContent));
    assert.deepEqual(await shown(), ["6", "1250"]);
    await page.click("#text li a >> nth=0");
    assert.ok(await isInView(page, new URL(page.url()).hash));
    assert.equal((await shown()).length, 13);
    await close(page);
  },

  async "nested and crossing spans have lines at heights of their own"(browser) {
    const page = await open(browser, note);
    const bottoms = await page.$$eval("#text a:has(u)", (marks) =>
      marks.map((mark) => [mark, ...mark.querySelectorAll("u")].map((line) => line.getBoundingClientRect().bottom)));
    assert.ok(bottoms.length >= 3, `${bottoms.length} segments with several spans`);
    for (const heights of bottoms) {
      assert.equal(new Set(heights.map(Math.round)).size, heights.length, `${heights}`);
    }
    await close(page);
  },

  async "a mark says what it stands for when it is pointed at or has the focus"(browser) {
    const page = await open(browser, note);
    await page.hover("#text a:has(u) >> nth=0");
    assert.equal(await page.isVisible("#tip"), true);
    assert.ok((await page.$$("#tip p")).length >= 2, "one line for each span");
    assert.ok((await page.$$("#values tr.on")).length >= 2);
    await page.mouse.move(0, 0);
    await page.$eval("#conflicts", (part) => part.scrollIntoView());
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
    await page.hover("#text a:has(u) >> nth=0");
    await page.screenshot({ path: path.join(folder, "tip.png") });
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("#tip"), false);
    await close(page);
  },

  async "the keyboard reaches everything"(browser) {
    const page = await open(browser, note);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.hash), "#values");
    const seen = [];
    for (let nth = 0; nth < 4; nth += 1) {
      await page.keyboard.press("n");
      seen.push(await page.evaluate(() => document.activeElement.textContent));
    }
    await page.keyboard.press("p");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), seen[2]);
    assert.equal(new Set(seen).size, 4, `${seen}`);
    await page.keyboard.press("Enter");
    assert.match(new URL(page.url()).hash, /^#r\d+$/);
    await close(page);
  },

  async "colours have the contrast of WCAG 2.2 AA, in light and in dark"(browser) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, note, { colorScheme });
      for (const back of ["var(--paper)", "var(--side)"]) {
        for (const fore of ["--ink", "--soft", "--bad", "--link"]) {
          const found = await contrast(page, `var(${fore})`, back);
          assert.ok(found >= 4.5, `${fore} on ${back} in ${colorScheme}: ${found.toFixed(2)}`);
        }
      }
      for (let field = 0; field < 12; field += 1) {
        const color = await page.evaluate((field) => {
          const probe = document.body.appendChild(document.createElement("p"));
          probe.className = `f${field}`;
          const color = getComputedStyle(probe).getPropertyValue("--c");
          probe.remove();
          return color;
        }, field);
        const line = await contrast(page, color, "var(--paper)");
        assert.ok(line >= 3, `line ${field} in ${colorScheme}: ${line.toFixed(2)}`);
        // A row or mark that is lit.
        const text = await contrast(page, "var(--ink)", `color-mix(in srgb, ${color} 32%, var(--paper))`);
        assert.ok(text >= 4.5, `text on ${field} in ${colorScheme}: ${text.toFixed(2)}`);
      }
      await page.screenshot({ path: path.join(folder, `${colorScheme}.png`) });
      await close(page);
    }
  },

  async "nothing is wider than a phone"(browser) {
    const page = await open(browser, note, { viewport: { width: 360, height: 740 }, hasTouch: true });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} pixels`);
    await page.screenshot({ path: path.join(folder, "phone.png"), fullPage: true });
    await close(page);
  },

  async "the report of a job leads to the page of each document, whatever its name is"(browser) {
    const page = await open(browser, report, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    assert.equal(await page.$$eval("script, [style], [onclick]", (all) => all.length), 0);
    const links = await page.$$eval("#documents a", (all) => all.map((link) => [link.textContent, link.href]));
    assert.equal(links.length, 36);
    await close(page);
    for (const [name, href] of links.filter(([name]) => /seven|letter-3\./.test(name))) {
      const document = await open(browser, href);
      assert.equal((await document.textContent("h1")).replace("\ufffd", ""), name);
      assert.equal(await document.isVisible("#violations"), name.includes("letter-3."));
      await close(document);
    }
  },

  async "a print has all of it"(browser) {
    const page = await open(browser, note, { viewport: { width: 760, height: 1000 } });
    await page.emulateMedia({ media: "print" });
    const overflow = await page.$eval("#text", (text) => getComputedStyle(text).overflow);
    assert.equal(overflow, "visible");
    assert.equal(await page.$$eval("#values tr.z", (rows) => rows.filter((row) => row.checkVisibility()).length), 1);
    await page.screenshot({ path: path.join(folder, "print.png"), fullPage: true });
    await page.pdf({ path: path.join(folder, "print.pdf") });
    await close(page);
  },

  async "one megabyte and 5,000 spans are there at once"(browser) {
    const before = Date.now();
    const page = await open(browser, long);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
    const loaded = Date.now() - before;
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
    const last = await page.getAttribute("#values tr[id] a >> nth=-1", "href");
    const at = Date.now();
    await page.$eval(`[href="${last}"]`, (link) => link.click());
    assert.ok(await isInView(page, last), `${last} is out of sight`);
    const jumped = Date.now() - at;
    const toggle = Date.now();
    await page.uncheck("#c0");
    await page.evaluate(() => document.body.offsetHeight);
    const switched = Date.now() - toggle;
    const find = Date.now();
    await page.fill("[type=search]", "second party");
    await page.keyboard.press("Enter");
    const searched = Date.now() - find;
    assert.match(await page.textContent("#find output"), /^1 of \d{4} in the text, \d+ in the values$/);
    const bytes = fs.statSync(path.join(folder, "long.html")).size;
    console.log(`   ${bytes} bytes, first paint ${paint.toFixed(0)} ms, loaded ${loaded} ms, jump ${jumped} ms, switch ${switched} ms, search ${searched} ms`);
    for (const took of [loaded, jumped, switched, searched]) assert.ok(took < LONG_MS, `${took} ms`);
    await close(page);
  },
};

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(browser);
      console.log(`ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  process.exit(failed === 0 ? 0 : 1);
})();
