"""Tests of the module and of the program that it calls, as they are installed. No network: the agent is a small program."""

import contextlib
import dataclasses
import functools
import inspect
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import extractable

REPOSITORY = pathlib.Path(__file__).parent.parent.parent
EXAMPLE = REPOSITORY / "examples/python"
SCHEMA = {
    "type": "object",
    "properties": {"number": {"type": "string", "pattern": r"^INV-\d{4}$"}, "total": {"type": "number"}},
    "required": ["number", "total"],
}
GOOD = 'Sure: {"number": "INV-3107", "total": "1,064.40"}'
BAD = '{"number": "3107"}'


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def agent(self, body):
        """A program as an agent. In `body`, `prompt` is what it is asked."""
        script = self.folder / "agent with spaces.py"
        script.write_text("import sys\nprompt = sys.stdin.read()\n" + body, encoding="utf-8")
        return [sys.executable, str(script)]

    def saying(self, reply):
        return self.agent(f"print({reply!r})")


class Read(Case):
    def test_a_value_comes_with_its_changes(self):
        reading = extractable.read(GOOD, schema=SCHEMA)
        self.assertEqual(reading.value, {"number": "INV-3107", "total": 1064.4})
        change = reading.changes[-1]
        self.assertEqual((change.path, change.before, change.after, change.loss), ("$.total", '"1,064.40"', "1064.4", "lossless"))
        self.assertFalse(reading.truncated)

    def test_a_reply_that_is_not_accepted_has_all_violations(self):
        with self.assertRaises(extractable.NotConforming) as raised:
            extractable.read(BAD, schema=SCHEMA)
        found = [(one.path, one.code) for one in raised.exception.violations]
        self.assertEqual(found, [("$.number", "INVALID_VALUE"), ("$.total", "MISSING_FIELD")])
        self.assertEqual(raised.exception.value, {"number": "3107"})
        self.assertIn("[MISSING_FIELD] $.total", str(raised.exception))
        with self.assertRaises(extractable.NotConforming):
            extractable.read(GOOD, schema=SCHEMA, strict=True)

    def test_a_schema_is_a_path_a_value_or_a_line(self):
        path = self.folder / "schema.json"
        path.write_text(json.dumps(SCHEMA), encoding="utf-8")
        for schema in [path, str(path), SCHEMA]:
            self.assertEqual(extractable.read(GOOD, schema=schema).value["total"], 1064.4)
        self.assertEqual(extractable.read('{"näme": "ß"}', fields="näme").value, {"näme": "ß"})
        with self.assertRaisesRegex(extractable.UsageError, "cannot be read"):
            extractable.read(GOOD, schema="none.json")
        with self.assertRaises(extractable.UsageError):
            extractable.read(GOOD)


class Extract(Case):
    def test_a_value_comes_with_what_it_took(self):
        agent = self.agent(f"print({GOOD!r} if 'Attempt 2' in prompt else {BAD!r})")
        found = extractable.extract(text="Invoice INV-3107", schema=SCHEMA, command=agent, prompt="--what")
        self.assertEqual(found.value, {"number": "INV-3107", "total": 1064.4})
        self.assertEqual(found.attempts, 2)
        self.assertGreater(found.input_tokens, 0)

    def test_examples_and_confidence_are_passed_on(self):
        shots = self.folder / "shots.jsonl"
        value = {"number": "INV-0001", "total": 1}
        lines = [json.dumps({"text": text, "value": value}) for text in ["something else", "Invoice INV-3108"]]
        shots.write_text("\n".join(lines), encoding="utf-8")
        agent = self.agent(f"print({GOOD!r} if 'INV-3108' in prompt and 'something else' not in prompt else {BAD!r})")
        given = {"shots": shots, "shot_count": 1, "shot_choice": "nearest", "confidence": 2, "max_attempts": 1}
        found = extractable.extract(text="Invoice INV-3107", schema=SCHEMA, command=agent, **given)
        self.assertEqual(found.value["total"], 1064.4)
        leaves = found.metrics["confidences"]["leaves"]
        self.assertEqual([(leaf["path"], leaf["confidence"]) for leaf in leaves], [("$.number", 1), ("$.total", 1)])

    def test_a_failure_has_every_attempt(self):
        with self.assertRaises(extractable.NotConforming) as raised:
            extractable.extract(text="x", schema=SCHEMA, command=self.saying(BAD), max_attempts=2)
        error = raised.exception
        self.assertEqual([one.number for one in error.history], [1, 2])
        self.assertEqual(error.history[0].raw_output.strip(), BAD)
        self.assertEqual([one.code for one in error.violations], ["INVALID_VALUE", "MISSING_FIELD"])
        self.assertEqual(error.metrics["attempts"], 2)

    def test_other_errors_have_their_own_types(self):
        with self.assertRaisesRegex(extractable.AgentUnavailable, "no program"):
            extractable.extract(text="x", schema=SCHEMA, command="no-such-program-here")
        with self.assertRaises(extractable.UsageError) as raised:
            extractable.extract("-missing", schema=SCHEMA, command=self.saying(GOOD))
        self.assertIn("`-missing` is missing", raised.exception.message)
        with self.assertRaisesRegex(extractable.UsageError, "names no provider\nhelp: "):
            extractable.extract(text="x", schema=SCHEMA, agent="gpt-4o")
        with self.assertRaisesRegex(extractable.UsageError, "either a document or a text"):
            extractable.extract(schema=SCHEMA)


class Run(Case):
    def test_a_job_resumes_and_has_an_outcome_for_each_document(self):
        for name, text in [("a.txt", "Invoice INV-3107"), ("b.txt", "no"), ("c.txt", "Invoice INV-3107")]:
            (self.folder / name).write_text(text, encoding="utf-8")
        asked = self.folder / "asked"
        agent = self.agent(
            f"open({str(asked)!r}, 'a').write('x')\nprint({GOOD!r} if 'INV-3107' in prompt else {BAD!r})"
        )
        job = extractable.run(str(self.folder / "*.txt"), out=self.folder / "out.csv", schema=SCHEMA, command=agent)
        self.assertEqual((job.documents, job.done, job.failed, job.resumed), (3, 2, 1, 0))
        one, two, three = job.outcomes()
        self.assertEqual((one.status, one.value["total"], one.attempts), ("done", 1064.4, 1))
        self.assertTrue(one.key.endswith("a.txt"))
        self.assertEqual((two.status, two.value, two.error["name"]), ("failed", None, "MaxRetriesExceeded"))
        self.assertEqual(three.status, "done")
        self.assertIn("INV-3107", (self.folder / "out.csv").read_text(encoding="utf-8"))
        before = asked.read_text()
        again = extractable.run(str(self.folder / "*.txt"), out=self.folder / "out.csv", schema=SCHEMA, command=agent)
        self.assertEqual((again.done, again.failed, again.resumed), (2, 1, 3))
        self.assertEqual(asked.read_text(), before)

    def test_records_have_keys_and_meta(self):
        rows = self.folder / "rows.csv"
        rows.write_text("id;body;who\n7;Invoice INV-3107;Ann\n", encoding="utf-8")
        job = extractable.run(
            [rows],
            out=self.folder / "out.jsonl",
            schema=SCHEMA,
            command=self.saying(GOOD),
            text="body",
            key="id",
            meta=["who"],
            options=["--requests-per-minute", "600"],
        )
        (outcome,) = job.outcomes()
        self.assertEqual((outcome.key, outcome.meta), ("7", {"who": "Ann"}))

    def test_what_is_skipped_is_said(self):
        (self.folder / "a.txt").write_text("INV-3107", encoding="utf-8")
        (self.folder / "b.zip").write_text("PK", encoding="utf-8")
        files = [self.folder / "a.txt", self.folder / "b.zip"]
        given = {"out": self.folder / "out.jsonl", "schema": SCHEMA, "command": self.saying(GOOD)}
        with self.assertRaisesRegex(extractable.UsageError, "an archive"):
            extractable.run(files, **given)
        job = extractable.run(files, skip_unreadable=True, **given)
        self.assertEqual((job.done, job.skipped), (1, 1))
        self.assertIn("skipped: ", "".join(job.remarks))

    def test_a_job_that_stops_says_so(self):
        for name in ["a.txt", "b.txt"]:
            (self.folder / name).write_text("INV-3107 " + name, encoding="utf-8")
        with self.assertRaises(extractable.Stopped) as raised:
            extractable.run(
                str(self.folder / "*.txt"),
                out=self.folder / "out.jsonl",
                schema=SCHEMA,
                command=self.saying(GOOD),
                concurrent=1,
                options=["--token-budget", "1"],
            )
        self.assertEqual(raised.exception.report["ended"], "token_budget")


class Package(Case):
    def test_the_program_is_that_of_the_package(self):
        self.assertTrue(extractable.program().startswith(sys.prefix), extractable.program())
        version = subprocess.run([extractable.program(), "--version"], capture_output=True, text=True, check=True)
        self.assertTrue(version.stdout.startswith("extractable "))

    def test_each_option_of_asking_is_a_parameter(self):
        # What a terminal or a settings file is for, and what the module does in its own way, go through `options`.
        others = "as batch batch-directly-after batch-directly-below batch-folder batch-queued-tokens batch-wait"
        others += " command-timeout dry-run env-file grace help json local no-settings poison-after price prompt-file quiet redact settings"
        others += " status version wait text key meta sheet skip-unreadable"
        for call in [extractable.extract, extractable.run]:
            words = [extractable.program(), call.__name__, "--help"]
            page = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            offered = set(re.findall(r"^ +(?:-., )?--([a-z-]+)", page, re.MULTILINE))
            known = {name.replace("_", "-") for name in inspect.signature(call).parameters}
            self.assertIn("agent", offered)
            self.assertEqual(offered - known - set(others.split()), set(), call.__name__)

    def test_it_has_types_and_no_dependencies(self):
        from importlib import metadata, resources

        self.assertEqual(metadata.requires("extractable") or [], [])
        self.assertTrue((pathlib.Path(extractable.__file__).parent / "py.typed").is_file())
        for name in extractable.__all__:
            self.assertTrue(getattr(extractable, name).__doc__, name)
        self.assertTrue(dataclasses.is_dataclass(extractable.Job))

    def test_the_example_runs(self):
        out = self.folder / "invoices.jsonl"
        command = f"'{sys.executable}' '{EXAMPLE / 'model.py'}'"
        for known in [0, 3]:
            words = [sys.executable, EXAMPLE / "invoices.py", "--command", command, "--out", out]
            ended = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
            self.assertEqual(ended.stderr, "")
            self.assertEqual(ended.returncode, 1)
            self.assertEqual(
                ended.stdout,
                "complaint.txt: no acceptable answer after 3 of 3 attempts; 1 violation in the last one:\n"
                "nordholz.txt: INV-3107, 1064.40 EUR\n"
                "wolf.txt: INV-0042, 161.00 EUR, which is not the sum of its lines\n"
                f"2 of 3 done, {known} known before\n",
            )


class Documentation(Case):
    """The snippets of the pages as they are printed, with a program in the place of each model."""

    def test_each_snippet_runs(self):
        reply = {"number": "INV-3107", "currency": "EUR", "total": 1238.4}
        agent = self.agent(f"reply = {reply!r}\nif 'currency' not in prompt: del reply['currency']\nprint(__import__('json').dumps(reply))")
        (self.folder / "letters").mkdir()
        for name in ["letter.txt", "letters/a.txt"]:
            (self.folder / name).write_text("Invoice INV-3107. Please transfer 1,238.40 euros.", encoding="utf-8")
        (self.folder / "invoice.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        for page in ["docs/python.md", "python/README.md"]:
            snippets = re.findall(r"^```python\n(.*?)^```$", (REPOSITORY / page).read_text(encoding="utf-8"), re.S | re.M)
            self.assertTrue(snippets)
            for snippet in snippets:
                out = io.StringIO()
                with self.asking(agent), contextlib.redirect_stdout(out):
                    exec(compile(snippet, page, "exec"), {})
                self.assertTrue(out.getvalue() or "except" in snippet, snippet)

    @contextlib.contextmanager
    def asking(self, agent):
        """Models are programs."""

        def ask(call, *inputs, agent, **given):
            return call(*inputs, command=program, **given)

        program = agent
        with contextlib.ExitStack() as patches:
            for name in ["extract", "run"]:
                call = functools.partial(ask, getattr(extractable, name))
                patches.enter_context(mock.patch.object(extractable, name, call))
            yield


if __name__ == "__main__":
    unittest.main()
