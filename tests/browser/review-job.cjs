// Makes the jobs that review.cjs reviews. Usage: node review-job.cjs <extractable> <folder>; it is also the agent of the first
// job: node review-job.cjs --reply.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const ORDERS = 30;

const PAYMENT = (kind, member) => ({ title: kind, type: "object", properties: { kind: { const: kind }, [member]: { type: "string" } }, required: ["kind", member] });

const SCHEMA = {
  title: "Order",
  type: "object",
  properties: {
    number: { type: "string", description: "As printed at the top.", pattern: "^A-\\d+$" },
    currency: { enum: ["EUR", "USD", "GBP"] },
    due: { type: ["string", "null"], format: "date" },
    total: { type: "number" },
    express: { type: "boolean" },
    note: { type: ["string", "null"] },
    payment: { oneOf: [PAYMENT("card", "holder"), PAYMENT("transfer", "iban")] },
    labels: { type: "object", additionalProperties: { type: "string" } },
    city: {
      anyOf: [
        { type: "object", "x-grounded": true, properties: { value: { type: "string" }, quote: { type: "string", "x-quote": true } }, required: ["value", "quote"] },
        { type: "null" },
      ],
    },
    lines: {
      type: "array",
      items: { type: "object", properties: { item: { type: "string" }, count: { type: "integer", minimum: 1 } }, required: ["item", "count"] },
    },
    other: {},
  },
  required: ["number", "currency", "due", "total", "express", "note", "payment", "city", "lines"],
};

/** What is right for the order with this number. */
function truth(nth) {
  const lines = [{ item: "desk lamp", count: nth }, { item: "oak desk", count: 2 }];
  return {
    number: `A-${nth}`,
    currency: ["EUR", "USD", "GBP"][nth % 3],
    due: nth % 5 === 0 ? null : `2026-03-${String(nth).padStart(2, "0")}`,
    total: nth === 1 ? 9007199254740993n : nth * 10 + 0.1,
    express: nth % 2 === 0,
    note: null,
    payment: nth % 4 === 0 ? { kind: "transfer", iban: `DE${nth}` } : { kind: "card", holder: "Ann Nordholz" },
    labels: { shelf: `S${nth}` },
    city: { value: "Bari", quote: "to Bari" },
    lines,
    other: [1, { a: null }],
  };
}

const json = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `<${part}>` : part)).replace(/"<(\d+)>"/g, "$1");

function letter(nth) {
  const { number, currency, due, total, express, payment, lines } = truth(nth);
  const paid = payment.kind === "card" ? `card of ${payment.holder}` : `transfer to ${payment.iban}`;
  return `Order ${number}, please send it to Bari${express ? " by express" : ""}.\n\n${lines.map(({ item, count }) => `${count} × ${item}`).join("\n")}\n\nTotal: ${total} ${currency}, due ${due ?? "at once"}, by ${paid}. Shelf S${nth}.\n`;
}

/** What the agent says: a mistake of each kind, in some of the orders. */
function reply(nth) {
  const value = truth(nth);
  if (nth % 10 === 7) return "There is no order in this letter.";
  if (nth % 6 === 1) value.currency = "GBP";
  if (nth % 6 === 2) value.note = "Please hurry!";
  if (nth % 6 === 3) value.lines.push({ item: "glass top", count: 1 });
  if (nth % 6 === 4) value.lines.pop();
  if (nth % 7 === 5) value.payment = { kind: "card", holder: "Bob" };
  if (nth % 9 === 8) value.due = "2026-01-01";
  return json(value);
}

const HOSTILE = "</script><img src=x onerror=alert(1)><b>'\"&\u202etxet\u2066 \u0000\u0007";

module.exports = { ORDERS, SCHEMA, HOSTILE, truth, letter, json };

if (process.argv[2] === "--reply") {
  process.stdout.write(reply(Number(/Order A-(\d+)/.exec(fs.readFileSync(0, "utf8"))[1])));
} else if (require.main === module) {
  const [program, folder] = process.argv.slice(2);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(path.join(folder, "letters"), { recursive: true });
  const run = (...args) => {
    try {
      execFileSync(program, ["run", "--max-attempts", "1", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      // 1: some documents failed, as they should.
      if (error.status !== 1) throw new Error(`${args.join(" ")}\n${error.stderr}`);
    }
  };
  const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
  write("order.json", JSON.stringify(SCHEMA));
  for (let nth = 1; nth <= ORDERS; nth += 1) write(`letters/${String(nth).padStart(2, "0")}.txt`, letter(nth));
  run("--schema", "order.json", "--command", `'${process.execPath}' '${__filename}' --reply`, "letters", "-o", "orders.jsonl");

  const many = Array.from({ length: 5000 }, (_, nth) => JSON.stringify({ id: `message ${nth}`, text: `Message ${nth}, for two` }));
  write("many.jsonl", `${many.join("\n")}\n`);
  run("--fields", "guests int", "--command", `echo '{"guests": 2}'`, "--key", "id", "many.jsonl", "-o", "messages.jsonl");

  // Statements that differ: of two chunks of a document, and of three samples.
  const about = (words) => `${words} of us come to the meeting. ${"The weather was fine, and the room was large. ".repeat(8)}`;
  write("chunks.jsonl", `${JSON.stringify({ id: "letter", text: `${about("Two")}\n\n${about("Three")}` })}\n`);
  run("--fields", "guests int", "--command", `sh -c 'if grep -q Three; then echo "{\\"guests\\": 3}"; else echo "{\\"guests\\": 2}"; fi'`, "--chunk-chars", "500", "--key", "id", "chunks.jsonl", "-o", "chunks-out.jsonl");
  write("samples.jsonl", `${JSON.stringify({ id: "note", text: "Some of us come." })}\n`);
  run("--fields", "guests int", "--command", `sh -c 'cat > read.txt; if mkdir first; then echo "{\\"guests\\": 2}"; else echo "{\\"guests\\": 3}"; fi'`, "--confidence", "3", "--key", "id", "samples.jsonl", "-o", "samples-out.jsonl");

  // Hostile keys, texts and values.
  const evil = { [HOSTILE]: [HOSTILE], __proto__x: { "10": 1, "2": 2, constructor: "\u202e" }, name: HOSTILE };
  write("evil.txt", `${JSON.stringify(evil).replace("__proto__x", "__proto__")}`);
  const texts = [HOSTILE, "\u202ea".repeat(170_000), `<img src=x onerror=alert(1)>\n${"a\n".repeat(500_000)}`, "x".repeat(1_000_000)];
  const lines = texts.map((text, nth) => `${JSON.stringify({ id: `${nth} ${HOSTILE}`, text })}\n`);
  write("evil.jsonl", lines.join(""));
  write("short.jsonl", lines[0]);
  write("evil.json", JSON.stringify({ title: HOSTILE, type: "object", description: HOSTILE, properties: { [HOSTILE]: { type: "array", items: { type: "string" } }, name: { type: "string", description: HOSTILE } } }));
  for (const [documents, out] of [["evil.jsonl", "evil-out.jsonl"], ["short.jsonl", "short-out.jsonl"]]) {
    run("--schema", "evil.json", "--command", "sh -c 'cat > read.txt; cat evil.txt'", "--key", "id", documents, "-o", out);
  }
}
