"""Invoices from letters, with the total checked by a rule in Python.

    pip install extractable
    python invoices.py --agent openai/gpt-4o-mini     # with OPENAI_API_KEY in the environment
    python invoices.py --command ./model.py           # a program that stands in for a model
"""

import argparse
import dataclasses
import pathlib
import sys
from typing import List

import extractable

HERE = pathlib.Path(__file__).parent

SCHEMA = {
    "title": "Invoice",
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": r"^INV-\d{4}$", "description": "Number printed at the top."},
        "currency": {"enum": ["EUR", "USD", "GBP"]},
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string"},
                    "quantity": {"type": "integer", "minimum": 1},
                    "unit_price": {"type": "number"},
                },
                "required": ["description", "quantity", "unit_price"],
            },
        },
        "total": {"type": "number", "minimum": 0},
    },
    "required": ["number", "currency", "lines", "total"],
}


@dataclasses.dataclass
class Line:
    description: str
    quantity: int
    unit_price: float


@dataclasses.dataclass
class Invoice:
    number: str
    currency: str
    lines: List[Line]
    total: float

    @classmethod
    def of(cls, value: dict) -> "Invoice":
        """From a value that conforms to the schema."""
        return cls(value["number"], value["currency"], [Line(**line) for line in value["lines"]], value["total"])

    @property
    def is_the_sum(self) -> bool:
        return abs(sum(line.quantity * line.unit_price for line in self.lines) - self.total) < 0.005


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--agent", help="a model, such as openai/gpt-4o-mini")
    arguments.add_argument("--command", help="a program that takes a prompt and prints a reply")
    arguments.add_argument("--out", type=pathlib.Path, default=pathlib.Path("invoices.jsonl"))
    given = arguments.parse_args()

    # The same call resumes where it stopped, and asks nothing twice.
    job = extractable.run(
        HERE / "letters", out=given.out, schema=SCHEMA, agent=given.agent, command=given.command, concurrent=4
    )
    for outcome in job.outcomes():
        name = pathlib.Path(outcome.key).name
        if outcome.error is not None:
            print(f"{name}: {outcome.error['message'].splitlines()[0]}")
            continue
        invoice = Invoice.of(outcome.value)
        remark = "" if invoice.is_the_sum else ", which is not the sum of its lines"
        print(f"{name}: {invoice.number}, {invoice.total:.2f} {invoice.currency}{remark}")
    print(f"{job.done} of {job.documents} done, {job.resumed} known before")
    return 0 if job.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
