// Makes a job with documents of every outcome, and its report. Usage: node job.cjs <extractable> <folder>; it is also the
// agent of that job: node job.cjs --reply.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const LETTERS = 36;

const SCHEMA = {
  title: "Invoice",
  description: "An invoice, as printed.",
  type: "object",
  properties: {
    number: { type: "string", pattern: "^INV-\\d{4}$" },
    currency: { enum: ["EUR", "USD", "GBP"] },
    customer: { type: "object", properties: { name: { type: "string" }, registration_number_of_the_company: { type: "string" } }, required: ["name"] },
    lines: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { description: { type: "string" }, quantity: { type: "integer", minimum: 1 }, unit_price: { type: "number" }, note: { type: "string" } },
        required: ["description", "quantity", "unit_price"],
      },
    },
    total: { type: "number", minimum: 0 },
  },
  required: ["number", "currency", "lines", "total"],
};

const numberOf = (nth) => `INV-${1000 + nth}`;

function letter(nth) {
  const trap = nth === 7 ? "<script>alert('7')</script> \u202etxet" : "";
  return `Invoice ${numberOf(nth)} of Nordholz & Sons\n\n${nth} desk lamps at 39.90 EUR each, black\n2 oak desks at 412.50 EUR each\n\nTotal: ${(nth * 39.9 + 825).toFixed(2)} EUR ${trap}\n`;
}

/** What the agent says: right, repaired, right at the second attempt, never right, or no JSON at all. */
function reply(question) {
  const nth = Number(/INV-(\d{4}) of/.exec(question)?.[1] ?? 1000) - 1000;
  const lines = [
    { description: "desk lamps", quantity: nth, unit_price: 39.9, note: "black" },
    { description: "oak desks", quantity: 2, unit_price: 412.5 },
  ];
  const value = { number: numberOf(nth), currency: "EUR", customer: { name: "Nordholz & Sons" }, lines, total: Number((nth * 39.9 + 825).toFixed(2)) };
  const isFirst = !question.includes("ttempt 2 of") && !question.includes("ttempt 3 of");
  if (nth % 9 === 4) return "I cannot find an invoice in this letter; it reads like an advertisement to me.";
  if (nth % 6 === 3 || (nth % 4 === 1 && isFirst)) return JSON.stringify({ ...value, number: String(nth), currency: "euros of the European Union", lines: lines.map((line) => ({ ...line, quantity: 0, unit_price: "thirty-nine euros and ninety cents" })), total: -1 });
  if (nth % 4 === 2) return `Sure!\n\`\`\`json\n${JSON.stringify({ ...value, total: value.total.toFixed(2) })}\n\`\`\``;
  return JSON.stringify(value);
}

if (process.argv[2] === "--reply") {
  process.stdout.write(reply(fs.readFileSync(0, "utf8")));
} else {
  const [program, folder] = process.argv.slice(2);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(path.join(folder, "letters", "from the archive of the year 2026"), { recursive: true });
  fs.writeFileSync(path.join(folder, "invoice.json"), JSON.stringify(SCHEMA));
  for (let nth = 1; nth <= LETTERS; nth += 1) {
    const place = nth % 5 === 0 ? "letters/from the archive of the year 2026" : "letters";
    fs.writeFileSync(path.join(folder, place, `${nth === 7 ? "seven <b>&amp; \"7\"" : `letter-${nth}`}.txt`), letter(nth));
  }
  const run = (...args) => {
    try {
      execFileSync(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      // 1: some documents failed, as they should.
      if (error.status !== 1) throw new Error(`${args.join(" ")}\n${error.stderr}`);
    }
  };
  run("run", "--schema", "invoice.json", "--command", `'${process.execPath}' '${__filename}' --reply`, "letters", "-o", "invoices.jsonl");
  run("view", "job", "invoices.jsonl", "-o", "report.html");
  run("view", "job", "invoices.jsonl", "letters", "--about", "type=Invoice", "-o", "report");
}
