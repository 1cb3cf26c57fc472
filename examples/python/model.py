#!/usr/bin/env python3
"""Stands in for a model: reads a prompt, and prints a reply that is right, wrong, or right at the second attempt."""

import sys

prompt = sys.stdin.read()

if "INV-3107" in prompt:
    print('Here you go: {"number": "INV-3107", "currency": "eur", "lines": [{"description": "desk lamp", "quantity": "6",')
    print('"unit_price": 39.9}, {"description": "oak desk", "quantity": 2, "unit_price": 412.5},], "total": "1,064.40"}')
elif "INV-0042" in prompt and "Attempt 2 of" in prompt:
    print('{"number": "INV-0042", "currency": "EUR", "lines": [{"description": "work", "quantity": 2, "unit_price": 58}],')
    print('"total": 161}')
elif "INV-0042" in prompt:
    print('{"number": "INV-42", "currency": "Euro", "lines": []}')
else:
    print("There is no invoice in this text.")
