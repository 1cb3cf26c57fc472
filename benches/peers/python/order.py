"""The type that every library is asked for, and replies whose right reading is known.

`src/bin/adapter/order.rs` says the same in Rust.
"""

import json

from pydantic import BaseModel, Field


class Line(BaseModel):
    description: str
    quantity: int = Field(ge=1, le=100)
    unit_price: float


class Order(BaseModel):
    """An order."""

    number: str = Field(pattern=r"^INV-\d{4}$")
    lines: list[Line]


def order(count=20, bad=0):
    """An order of `count` lines, the first `bad` of them with a quantity that is not allowed."""
    lines = [
        {
            "description": f"Position number {n} of the delivery",
            "quantity": 0 if n < bad else n % 7 + 1,
            "unit_price": 2.5,
        }
        for n in range(count)
    ]
    return {"number": "INV-2041", "lines": lines}


def messy():
    """Replies that are not plain JSON, or not quite the type: name, text, and the right value or `None`.

    `None` stands where no value can be known from the text: refusing is right.
    """
    gold = order(3)
    text = json.dumps(gold)
    pretty = json.dumps(gold, indent=2)

    def swap(old, new, times=1):
        assert old in text
        return text.replace(old, new, times)

    rows = [
        ("plain", text, gold),
        ("fenced", f"```json\n{pretty}\n```", gold),
        ("fenced, prose around it", f"Here is the order you asked for:\n\n```json\n{pretty}\n```\n\nLet me know!", gold),
        ("prose before", f"Sure! {text}", gold),
        ("prose after", f"{text}\nI hope this helps.", gold),
        ("prose with braces before", f"The form {{number, lines}} is filled in: {text}", gold),
        ("thoughts before", f"<think>There are {{three}} lines.</think>\n{text}", gold),
        ("a draft in the thoughts", f"<think>First try: {json.dumps(order(1))}</think>\n{text}", gold),
        ("trailing commas", swap("}]}", "},]}").replace('2.5}', '2.5,}'), gold),
        ("single quotes", str(gold), gold),
        ("keys without quotes", swap('"number"', "number").replace('"lines"', "lines"), gold),
        ("comments", pretty.replace('"lines": [', '// the lines\n  "lines": ['), gold),
        ("a comma missing between fields", swap('", "lines"', '" "lines"'), gold),
        ("a comma missing between items", swap("}, {", "} {"), gold),
        ("quotes not escaped", swap("Position number 0", 'Position "number" 0'),
         {**gold, "lines": [{**gold["lines"][0], "description": 'Position "number" 0 of the delivery'}, *gold["lines"][1:]]}),
        ("a line break in a string", swap("number 0 of", "number 0\nof"),
         {**gold, "lines": [{**gold["lines"][0], "description": "Position number 0\nof the delivery"}, *gold["lines"][1:]]}),
        ("a number as a string", swap('"quantity": 1', '"quantity": "1"'), gold),
        ("a price as a string", swap('"unit_price": 2.5', '"unit_price": "2.5"'), gold),
        ("a whole number as 1.0", swap('"quantity": 1', '"quantity": 1.0'), gold),
        ("keys in another case", swap('"unit_price"', '"unitPrice"'), gold),
        ("keys in capitals", swap('"number"', '"Number"'), gold),
        ("a field more", swap('"number"', '"note": "as asked", "number"'), gold),
        ("an object around it", json.dumps({"order": gold}), gold),
        ("a list around it", json.dumps([gold]), gold),
        ("the JSON as a string", json.dumps(text), gold),
        ("the lines as a string", json.dumps({**gold, "lines": json.dumps(gold["lines"])}), gold),
        ("the same object twice", f"{text}\n{text}", gold),
        ("a quantity that is no number", swap('"quantity": 1', '"quantity": "a few"'), None),
        ("a quantity of 1.5", swap('"quantity": 1', '"quantity": 1.5'), None),
        ("a quantity of null", swap('"quantity": 1', '"quantity": null'), None),
        ("a quantity that is missing", swap('"quantity": 1, ', ""), None),
        ("a quantity twice, differing", swap('"quantity": 1', '"quantity": 1, "quantity": 9'), None),
        ("a price of NaN", swap('"unit_price": 2.5', '"unit_price": NaN'), None),
        ("a price as 1,5 or 15", swap('"unit_price": 2.5', '"unit_price": "1,5"'), None),
        ("a price from 2 to 3", swap('"unit_price": 2.5', '"unit_price": "2-3"'), None),
        ("a line that is a string", swap("{\"description\": \"Position number 2 of the delivery\", \"quantity\": 3, \"unit_price\": 2.5}", '"three more"'), None),
        ("a line that is null", swap("{\"description\": \"Position number 2 of the delivery\", \"quantity\": 3, \"unit_price\": 2.5}", "null"), None),
        ("an ellipsis for a line", swap("{\"description\": \"Position number 2 of the delivery\", \"quantity\": 3, \"unit_price\": 2.5}", "..."), None),
        ("two different orders", f"{text}\n{text.replace('2041', '2042')}", None),
        ("a description that is a list", swap('"Position number 0 of the delivery"', '["Position", "number 0"]'), None),
        ("nothing but prose", "I cannot find an order in this note.", None),
        ("an empty reply", "", None),
        ("the schema", json.dumps(Order.model_json_schema()), None),
    ]
    return rows


def cut(step=40):
    """A reply of twenty lines that ends every `step` characters, and nowhere at a whole value."""
    text = json.dumps(order(20))
    return [text[:end] for end in range(step, len(text) - 1, step)]
