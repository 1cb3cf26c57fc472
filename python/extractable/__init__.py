"""Values that conform to a JSON Schema, from documents, by any language model.

The package brings the program `extractable`, and this module calls it:

    import extractable

    schema = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}
    found = extractable.extract("letter.txt", schema=schema, agent="openai/gpt-4o-mini")
    print(found.value["total"], found.attempts)

`read` finds the value in a reply that you already have, `extract` asks about one document, and `run` about many, as a
job that resumes where it stopped. Whatever does not conform is a `NotConforming` with every violation.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

__all__ = [
    "AgentUnavailable",
    "Attempt",
    "Change",
    "Extraction",
    "ExtractableError",
    "Job",
    "NotConforming",
    "Outcome",
    "Reading",
    "StorageError",
    "Stopped",
    "UsageError",
    "Violation",
    "extract",
    "program",
    "read",
    "run",
]

Path = Union[str, "os.PathLike[str]"]
Schema = Union[Path, Mapping[str, Any], bool]
"""The path of a file with a JSON Schema or types, or a JSON Schema itself."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Violation:
    """One reason why a value is not acceptable."""

    path: str
    code: str
    message: str
    expected: Optional[str] = None
    actual: Optional[str] = None
    severity: str = "fixable"
    keyword: Optional[str] = None
    hint: Optional[str] = None

    def __str__(self) -> str:
        return f"[{self.code}] {self.path}: {self.message} (expected {self.expected}, got {self.actual})"


@dataclass(frozen=True)
class Change:
    """One change that was made in reading a reply."""

    path: str
    kind: str
    before: str
    after: str
    loss: str


@dataclass(frozen=True)
class Reading:
    """The value in a reply, and what was changed in reading it."""

    value: Any
    changes: Tuple[Change, ...]
    violations: Tuple[Violation, ...]
    """Warnings; any other violation is an exception."""
    truncated: bool


@dataclass(frozen=True)
class Attempt:
    """One question to the agent and its judged reply."""

    number: int
    agent: str
    raw_output: str
    violations: Tuple[Violation, ...]


@dataclass(frozen=True)
class Extraction:
    """The value of one document."""

    value: Any
    attempts: int
    input_tokens: int
    output_tokens: int
    metrics: Dict[str, Any]
    """Everything that is known of how it went, as the program prints it."""
    remarks: Tuple[str, ...]
    """What the program says about the document, such as images in it that are not read."""


@dataclass(frozen=True)
class Outcome:
    """What became of one document of a job."""

    key: str
    status: str
    """`done`, `in_part` or `failed`."""
    value: Any = None
    """The value; `None` if it failed."""
    error: Optional[Dict[str, str]] = None
    """Name and message; `None` if it did not fail."""
    meta: Any = None
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class Job:
    """A job that came to its end. Some of its documents may have failed."""

    documents: int
    done: int
    in_part: int
    failed: int
    resumed: int
    skipped: int
    """Documents that could not be read, of which `remarks` has the reasons."""
    report: Dict[str, Any]
    """Everything that is known of how it went, as the program prints it."""
    journal: pathlib.Path
    remarks: Tuple[str, ...]
    """What the program says about the documents, such as those that it skipped."""

    def outcomes(self) -> Iterator[Outcome]:
        """The outcome of each document, in the order of their keys, as the journal has them."""
        with subprocess.Popen(
            [program(), "export", "--as=jsonl", "--", os.fspath(self.journal)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as export:
            assert export.stdout is not None and export.stderr is not None
            for line in export.stdout:
                yield _made(Outcome, json.loads(line))
            message = export.stderr.read()
        if export.returncode != 0:
            raise StorageError(message.strip(), None)


class ExtractableError(Exception):
    """What the program says it could not do, and what to do about it."""

    def __init__(self, message: str, help: Optional[str] = None) -> None:
        super().__init__(message if help is None else f"{message}\nhelp: {help}")
        self.message = message
        self.help = help


class UsageError(ExtractableError):
    """An argument, the schema or an input is wrong."""


class AgentUnavailable(ExtractableError):
    """The agent could not be asked."""


class StorageError(ExtractableError):
    """A journal or an output could not be read or written."""


class Stopped(ExtractableError):
    """A job ended before its last document; the same call goes on."""

    def __init__(self, message: str, help: Optional[str], report: Dict[str, Any]) -> None:
        super().__init__(message, help)
        self.report = report


class NotConforming(ExtractableError):
    """No value that conforms was found."""

    def __init__(
        self,
        message: str,
        help: Optional[str],
        violations: Tuple[Violation, ...],
        value: Any = None,
        history: Tuple[Attempt, ...] = (),
        metrics: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(message, help)
        self.violations = violations
        """Those of the last attempt."""
        self.value = value
        """What was read and does not conform, if anything."""
        self.history = history
        """Every attempt; none if no agent was asked."""
        self.metrics = metrics or {}


def read(
    reply: str,
    *,
    schema: Optional[Schema] = None,
    fields: Optional[str] = None,
    strict: bool = False,
    lossy: bool = False,
    cut: bool = False,
    document: Optional[Path] = None,
) -> Reading:
    """Finds the value in a reply, without asking any model.

    `schema` or `fields` (a schema on one line, such as `"name, age int, paid? bool"`) says what it has to satisfy.
    `strict` accepts only strict JSON, `lossy` also changes that lose something, and `cut` says that the reply was cut.
    `document` is the file that quotes in the value have to be in. Raises `NotConforming` if the value is not accepted.
    """
    options = {"strict": strict, "lossy": lossy, "cut": cut, "document": document}
    ended = _call("read", schema, fields, options, (), ["-"], reply)
    found = ended.json()
    violations = _all(Violation, found["violations"])
    if not found["accepted"]:
        message = "\n".join(["the reply is not accepted:", *map(str, violations)])
        raise NotConforming(message, None, violations, found["value"])
    return Reading(found["value"], _all(Change, found["changes"]), violations, found["truncated"])


def extract(
    document: Optional[Path] = None,
    *,
    text: Optional[str] = None,
    schema: Optional[Schema] = None,
    fields: Optional[str] = None,
    agent: Optional[str] = None,
    command: Union[str, Sequence[str], None] = None,
    base_url: Optional[str] = None,
    then: Sequence[str] = (),
    prompt: Optional[str] = None,
    system: Optional[str] = None,
    shots: Optional[Path] = None,
    max_attempts: Optional[int] = None,
    temperature: Optional[float] = None,
    max_output_tokens: Optional[int] = None,
    timeout: Optional[int] = None,
    chunk_chars: Optional[int] = None,
    concurrent_chunks: Optional[int] = None,
    pdf_text: bool = False,
    thinking: Union[str, int, None] = None,
    think_first: bool = False,
    notation: Optional[str] = None,
    schema_position: Optional[str] = None,
    show_example: bool = False,
    feedback: Optional[str] = None,
    shot_count: Optional[int] = None,
    shot_choice: Optional[str] = None,
    shot_position: Optional[str] = None,
    confidence: Union[str, int, None] = None,
    calibration: Optional[Path] = None,
    escalate_below: Optional[float] = None,
    accept_gaps: bool = False,
    keep_null_strings: bool = False,
    keep_valid_items: bool = False,
    options: Sequence[str] = (),
) -> Extraction:
    """Extracts the value of one document: a file, or `text`.

    The agent is a model (`agent="provider/model"`, with the key of the provider in the environment) or a program that
    takes the prompt on its standard input (`command=["claude", "-p"]`). Seconds for `timeout`, characters for
    `chunk_chars`. `thinking`, `notation`, the `shot_…` options, `confidence` and what follows have the names and
    values of the command line (`extractable extract --help`). `options` are further ones of the command line, as they
    are written there. Raises `NotConforming` with every attempt if no reply is accepted.
    """
    if (document is None) == (text is None):
        raise UsageError("either a document or a text is needed")
    named = _asking(locals())
    ended = _call("extract", schema, fields, named, options, ["-" if document is None else document], text)
    if ended.code == 1:
        story = ended.json()
        history = tuple(
            Attempt(one["number"], one["agent"], one["raw_output"], _all(Violation, one["violations"]))
            for one in story["history"]
        )
        violations = history[-1].violations if history else ()
        metrics = story["metrics"]
        raise NotConforming(story["error"]["message"], None, violations, None, history, metrics)
    found = ended.json()
    metrics = found["metrics"]
    usage = metrics["usage"]
    return Extraction(
        found["value"], metrics["attempts"], usage["input_tokens"], usage["output_tokens"], metrics, ended.remarks
    )


def run(
    inputs: Union[Path, Sequence[Path]],
    *,
    out: Path,
    schema: Optional[Schema] = None,
    fields: Optional[str] = None,
    agent: Optional[str] = None,
    command: Union[str, Sequence[str], None] = None,
    base_url: Optional[str] = None,
    then: Sequence[str] = (),
    prompt: Optional[str] = None,
    system: Optional[str] = None,
    shots: Optional[Path] = None,
    max_attempts: Optional[int] = None,
    temperature: Optional[float] = None,
    max_output_tokens: Optional[int] = None,
    timeout: Optional[int] = None,
    chunk_chars: Optional[int] = None,
    concurrent_chunks: Optional[int] = None,
    pdf_text: bool = False,
    thinking: Union[str, int, None] = None,
    think_first: bool = False,
    notation: Optional[str] = None,
    schema_position: Optional[str] = None,
    show_example: bool = False,
    feedback: Optional[str] = None,
    shot_count: Optional[int] = None,
    shot_choice: Optional[str] = None,
    shot_position: Optional[str] = None,
    confidence: Union[str, int, None] = None,
    calibration: Optional[Path] = None,
    escalate_below: Optional[float] = None,
    accept_gaps: bool = False,
    keep_null_strings: bool = False,
    keep_valid_items: bool = False,
    text: Optional[str] = None,
    key: Optional[str] = None,
    meta: Sequence[str] = (),
    sheet: Sequence[str] = (),
    concurrent: Optional[int] = None,
    skip_unreadable: bool = False,
    overwrite: bool = False,
    reviewed: Optional[Path] = None,
    confidence_columns: bool = False,
    requests_per_minute: Optional[int] = None,
    token_budget: Optional[int] = None,
    journal: Optional[Path] = None,
    options: Sequence[str] = (),
) -> Job:
    """Extracts a value from each of many documents, and writes them to `out`, whose ending says how.

    `inputs` are files, folders and patterns; `text`, `key` and `meta` name columns of records, and `sheet` the sheets of
    workbooks. The journal beside `out` knows the outcome of each document, so the same call resumes where it stopped.
    A document that fails is an outcome; what ends the whole job is an exception: `Stopped`, `AgentUnavailable`,
    `StorageError` or `UsageError`.
    """
    named = _asking(locals())
    named.update(text=text, key=key, meta=",".join(meta) or None, sheet=list(sheet))
    named.update(out=out, journal=journal, concurrent=concurrent, skip_unreadable=skip_unreadable)
    named.update(overwrite=overwrite, reviewed=reviewed, confidence_columns=confidence_columns)
    named.update(requests_per_minute=requests_per_minute, token_budget=token_budget)
    files = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    ended = _call("run", schema, fields, named, options, files, None)
    report = ended.json()
    beside = pathlib.Path(journal) if journal is not None else pathlib.Path(os.fspath(out) + ".journal")
    if ended.code == 3:
        raise Stopped("the job ended before its last document; the same call goes on", None, report)
    if ended.code == 4:
        raise AgentUnavailable("the agent could not be reached; the same call goes on", None)
    return Job(
        report["documents"],
        report["done"],
        report["in_part"],
        report["failed"],
        report["resumed"],
        report["skipped"],
        report,
        beside,
        ended.remarks,
    )


def program() -> str:
    """The path of the program that this package brings."""
    name = "extractable" + (sysconfig.get_config_var("EXE") or "")
    user = "nt_user" if os.name == "nt" else "posix_user"
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", user))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the program `{name}` is in none of {folders}, and not in PATH")
    return found


@dataclass(frozen=True)
class _Ended:
    """What a call of the program left."""

    code: int
    out: str
    remarks: Tuple[str, ...]

    def json(self) -> Any:
        return json.loads(self.out)


def _call(
    name: str,
    schema: Optional[Schema],
    fields: Optional[str],
    named: Mapping[str, Any],
    options: Sequence[str],
    inputs: Sequence[Path],
    stdin: Optional[str],
) -> _Ended:
    """Runs the program to its end. Raises what it says it could not do."""
    with tempfile.TemporaryDirectory(prefix="extractable-") as folder:
        if isinstance(schema, (Mapping, bool)):
            file = pathlib.Path(folder) / "schema.json"
            file.write_text(json.dumps(schema), encoding="utf-8")
            schema = file
        words = [program(), name, "--json"]
        words += _words({"schema": schema, "fields": fields, **named})
        words += [*options, "--", *(os.fspath(path) for path in inputs)]
        code, out, err = _finished(words, stdin)
    error: Optional[Dict[str, Any]] = None
    remarks: List[str] = []
    for line in err.splitlines():
        try:
            error = json.loads(line)["error"]
        except (ValueError, TypeError, KeyError):
            remarks.append(line)
    has_result = out.strip() != ""
    if code in (0, 1, 3, 4) and has_result:
        return _Ended(code, out, tuple(remarks))
    kinds: Dict[int, Type[ExtractableError]] = {2: UsageError, 4: AgentUnavailable, 5: StorageError}
    if code == 130:
        raise KeyboardInterrupt
    if error is None:
        message = "\n".join(remarks) or f"the program ended with code {code}"
        raise kinds.get(code, ExtractableError)(message)
    raise kinds.get(code, ExtractableError)(error["message"], error["help"])


def _finished(words: Sequence[str], stdin: Optional[str]) -> Tuple[int, str, str]:
    """Runs to the end. After Ctrl-C, which the program gets too, waits for what is in flight."""
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        # Of a reply or a document with a broken character, the program says so.
        errors="surrogateescape",
    )
    try:
        out, err = process.communicate(stdin)
    except KeyboardInterrupt:
        try:
            process.communicate()
        finally:
            process.kill()
        raise
    return process.returncode, out, err


def _asking(given: Mapping[str, Any]) -> Dict[str, Any]:
    """The options about who is asked, and how."""
    names = ["agent", "base_url", "then", "prompt", "system", "shots", "max_attempts", "temperature"]
    names += ["max_output_tokens", "timeout", "chunk_chars", "concurrent_chunks", "pdf_text", "thinking", "think_first"]
    names += ["notation", "schema_position", "show_example", "feedback", "shot_count", "shot_choice", "shot_position"]
    names += ["confidence", "calibration", "escalate_below"]
    names += ["accept_gaps", "keep_null_strings", "keep_valid_items"]
    named = {name: given[name] for name in names}
    command = given["command"]
    named["command"] = command if command is None or isinstance(command, str) else shlex.join(command)
    return named


def _words(named: Mapping[str, Any]) -> List[str]:
    """The options as words. Each value is in the same word as its name, so it can begin with a hyphen."""
    words: List[str] = []
    for name, value in named.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [f"{option}={one}" for one in value]
        elif value is not None and value is not False:
            words.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return words


def _made(kind: Type[_T], record: Mapping[str, Any]) -> _T:
    """A dataclass of the members that it knows."""
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in record.items() if name in known})


def _all(kind: Type[_T], records: Sequence[Mapping[str, Any]]) -> Tuple[_T, ...]:
    return tuple(_made(kind, record) for record in records)
