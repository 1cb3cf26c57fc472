// Looks at pages at the widths of a phone and of a desk, in light and in dark. Leaves screenshots, and fails for what is
// unreadable there. Usage: node look.cjs <folder for the screenshots> <page, picture, or link to a page with its name before it, as
// name=http://...>...
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const [folder, ...files] = process.argv.slice(2);
const WIDTHS = [390, 1280];
const SCHEMES = ["light", "dark"];

/** Runs in the page: the faults of what can be seen. */
function faults(isPhone) {
  const found = [];
  const name = (element) => {
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    return `<${element.tagName.toLowerCase()}${element.id ? ` id=${element.id}` : ""}> "${text}"`;
  };

  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) {
    const cause = Array.from(document.body.querySelectorAll("*")).findLast((one) => one.getBoundingClientRect().right > innerWidth + 1);
    found.push(`${wide} pixels wide, by ${cause ? name(cause) : "?"}`);
  }

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (front, back) => {
    const alpha = front[3] + back[3] * (1 - front[3]);
    return [0, 1, 2].map((at) => (front[at] * front[3] + back[at] * back[3] * (1 - front[3])) / (alpha || 1)).concat(alpha);
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const c = part / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    let color = [0, 0, 0, 0];
    for (let one = element; one && color[3] < 1; one = one.parentElement) color = over(color, rgba(getComputedStyle(one).backgroundColor));
    return over(color, [255, 255, 255, 1]);
  };
  const isShown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && element.checkVisibility();
  };

  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && seen.size < 20000; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.data.trim();
    if (text === "" || seen.has(element) || !isShown(element) || element.closest("svg, script, style")) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const back = background(element);
    const [light, dark] = [luminance(over(rgba(style.color), back)), luminance(back)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) found.push(`contrast ${contrast.toFixed(2)} of ${name(element)}`);
    // A column so narrow that a word has a letter a line.
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const lines = new Set(Array.from(range.getClientRects(), (line) => Math.round(line.top))).size;
    if (lines > 3 && text.length / lines < 4) found.push(`${lines} lines of ${(text.length / lines).toFixed(1)} letters, ${box.width.toFixed(0)} pixels wide: ${name(element)}`);
  }

  if (isPhone) {
    for (const target of document.querySelectorAll("button, select, summary, label, nav a, td a, th a, [type=search]")) {
      const { height, width } = target.getBoundingClientRect();
      // WCAG 2.2, 2.5.8.
      if (isShown(target) && (height < 24 || width < 20)) found.push(`a target of ${width.toFixed(0)} by ${height.toFixed(0)} pixels: ${name(target)}`);
    }
  }
  if (document.getAnimations().length > 0) found.push("it moves, although less motion is preferred");
  return found;
}

/** Runs in a page with a picture: the texts that are too small to read. */
function smallText() {
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
  const small = Array.from(document.querySelectorAll("svg text"), (text) => [size(text), text.textContent]).filter(([size]) => size < 8.5);
  return small.map(([size, text]) => `a text of ${size.toFixed(1)} pixels: "${text}"`);
}

(async () => {
  fs.mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"] });
  let failed = 0;
  for (const file of files) {
    for (const width of WIDTHS) {
      for (const colorScheme of SCHEMES) {
        const isPhone = width < 600;
        const context = await browser.newContext({ viewport: { width, height: isPhone ? 844 : 900 }, colorScheme, hasTouch: isPhone, isMobile: isPhone, reducedMotion: "reduce", deviceScaleFactor: isPhone ? 2 : 1 });
        const page = await context.newPage();
        const isPicture = file.endsWith(".svg");
        const [, name, link] = /^(\w+)=(http:.*)$/.exec(file) ?? [];
        if (isPicture) {
          // As in a page of text: at most as wide as that.
          const style = "<style>body{margin:1rem;color-scheme:light dark}svg{max-width:100%;height:auto}</style>";
          await page.setContent(`<meta name=viewport content="width=device-width">${style}${fs.readFileSync(file, "utf8")}`);
        } else {
          await page.goto(link ?? pathToFileURL(path.resolve(file)).href);
          // A page that asks a program for what it shows.
          if (link) await page.waitForLoadState("networkidle");
        }
        const stem = name ?? path.basename(file).replace(/\.\w+$/, "");
        const shown = isPicture ? page.locator("svg") : page;
        await shown.screenshot({ path: path.join(folder, `${stem}-${width}-${colorScheme}.png`) });
        const found = await page.evaluate(isPicture ? smallText : faults, isPhone);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        console.log(`${found.length === 0 ? "ok" : "FAILED"} ${stem} at ${width}, ${colorScheme}: ${height} pixels high`);
        for (const fault of new Set(found.slice(0, 20))) console.log(`   ${fault}`);
        failed += found.length;
        if (isPhone && !isPicture && height < 16000) await page.screenshot({ path: path.join(folder, `${stem}-${width}-${colorScheme}-whole.png`), fullPage: true });
        await context.close();
      }
    }
  }
  await browser.close();
  process.exit(failed === 0 ? 0 : 1);
})();
