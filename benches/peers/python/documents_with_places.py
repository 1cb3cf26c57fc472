"""Values with their places in the text: this library beside langextract, with one model.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    cargo build --release -p extractable-cli
    cargo build --release -p extractable-local --example names
    venv/bin/python documents_with_places.py --weights MODEL.gguf

Two tasks, each with the same documents, the same worked examples and the same server for both
libraries, at temperature 0:

- `fields`: five fields of each message of `benches/documents/restaurant8k.jsonl`, as quotes
  (`benches/documents/quote_strings.py`). langextract is told the fields as classes.
- `names`: the persons that are named in long texts (`tests/fixtures/spans/litbank.jsonl`, the example
  program `names`), in chunks of 1,500 characters, with one pass and with two. langextract asks once in
  a pass; this library with one attempt, and as by default with up to three. The right names are the
  marked persons whose words are all capitalised, which leaves out "his uncle" and the like; those at
  the beginning of a sentence that are no name make the recall of both look worse.

A value counts as right if it is the right one up to case, and as placed if the text at the place that
is given *is* those words. A place whose words are not the value's is counted apart.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

import langextract

from ours import evaluated
from serving import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIELDS = ROOT / "benches/documents/restaurant8k.jsonl"
QUOTED = ROOT / "benches/documents/quote_strings.py"
NAMES = ROOT / "tests/fixtures/spans/litbank.jsonl"
PROGRAMS = ROOT / "target/release/examples"

# The same text and names as in the example program `names`.
NAMES_TASK = "List every person who is named in the text, each once, by the name as it stands there."
NAMES_EXAMPLE = (
    "The inspector bowed to Lady Margaret . Her brother , old Tom Fenwick , said nothing .",
    ["Lady Margaret", "Tom Fenwick"],
)
CHUNK = 1_500


def same(given, right):
    """Equality up to case."""
    if given is None or right is None:
        return given is right
    return given.strip().lower() == right.strip().lower()


def ask_langextract(server, text, prompt, examples, **settings):
    """The extractions, or None if langextract raised."""
    config = langextract.factory.ModelConfig(
        model_id="local",
        provider="OpenAILanguageModel",
        provider_kwargs={"base_url": server.url, "api_key": "none", "temperature": 0.0},
    )
    try:
        answer = langextract.extract(
            text_or_documents=text,
            prompt_description=prompt,
            examples=examples,
            config=config,
            max_workers=1,
            show_progress=False,
            **settings,
        )
    except Exception as error:  # whatever it raises, there is no answer
        print(f"  {type(error).__name__}: {str(error)[:160]}", flush=True)
        return None
    return answer.extractions or []


def words_at_place(text, extraction):
    interval = extraction.char_interval
    if interval is None or interval.start_pos is None:
        return None
    return text[interval.start_pos : interval.end_pos]


def example(text, extractions):
    found = [langextract.data.Extraction(extraction_class=key, extraction_text=words) for key, words in extractions]
    return langextract.data.ExampleData(text=text, extractions=found)


# ---- fields


class Fields:
    COLUMNS = "fields right | stated fields right | right and placed | placed on other words | documents without an answer"

    def __init__(self):
        self.fields = self.right = self.stated = self.right_stated = self.placed = self.elsewhere = self.failed = 0

    def count(self, gold, value, places):
        """Adds one answer; `places` are the words that stand at each field's place."""
        self.failed += value is None
        for key, right in gold.items():
            given = value.get(key) if value is not None else None
            is_right = value is not None and same(given, right)
            self.fields += 1
            self.right += is_right
            if right is not None:
                self.stated += 1
                self.right_stated += is_right
                self.placed += is_right and same(places.get(key), right)
            if given is not None and places.get(key) is not None and not same(places[key], given):
                self.elsewhere += 1

    def cells(self):
        return (
            f"{self.right / self.fields:.3f} | {self.right_stated / self.stated:.3f} "
            f"| {self.placed / self.stated:.3f} | {self.elsewhere} | {self.failed}"
        )


def fields_langextract(server, documents, examples):
    schema = documents[0]["schema"]["properties"]
    told = ", ".join(f"{key} ({part['description']})" if "description" in part else key for key, part in schema.items())
    prompt = f"{documents[0]['instruction']} The classes are {told}."
    examples = [
        example(shown["text"], [(key, words) for key, words in shown["value"].items() if words is not None])
        for shown in examples
    ]
    score = Fields()
    for document in documents:
        extractions = ask_langextract(server, document["text"], prompt, examples)
        value, places = {key: None for key in document["value"]}, {}
        for extraction in extractions or []:
            key = extraction.extraction_class
            # The first one of a class counts, and a class that was not asked for is nobody's.
            if key in value and value[key] is None:
                value[key] = extraction.extraction_text
                places[key] = words_at_place(document["text"], extraction)
        score.count(document["value"], None if extractions is None else value, places)
    return score


def fields_ours(server, documents, examples):
    with tempfile.TemporaryDirectory() as folder:
        gold, shots = pathlib.Path(folder) / "gold.jsonl", pathlib.Path(folder) / "shots.jsonl"
        gold.write_bytes(subprocess.run([sys.executable, QUOTED, "quotes"], check=True, stdout=subprocess.PIPE).stdout)
        shots.write_text("".join(json.dumps(example) + "\n" for example in examples))
        values = evaluated(server, gold, len(documents), ["--shots", shots] if examples else [])
    score = Fields()
    for document, value in zip(documents, values, strict=True):
        # A quote is reported as the words that stand at its place.
        text = document["text"]
        places = {key: words for key, words in (value or {}).items() if words is not None and words in text}
        score.count(document["value"], value, places)
    return score


# ---- names


class Names:
    COLUMNS = "names found | of what is found, names | placed on other words | without a place | chunks without an answer"

    def __init__(self):
        self.gold = self.right = self.found = self.extra = self.elsewhere = self.nowhere = self.failed = 0

    def count(self, gold, found, failed):
        """`found` are pairs of words and the words that stand at their place."""
        names = {words.lower() for words, place in found if same(place, words)}
        self.gold += len(gold)
        self.right += len(names & gold)
        self.found += len({words.lower() for words, _ in found})
        self.elsewhere += sum(place is not None and not same(place, words) for words, place in found)
        self.nowhere += sum(place is None for _, place in found)
        self.failed += failed

    def cells(self):
        return (
            f"{self.right / self.gold:.3f} | {self.right / max(self.found, 1):.3f} "
            f"| {self.elsewhere} | {self.nowhere} | {self.failed}"
        )


def gold_names(document):
    def is_name(words):
        return all(word[0].isupper() for word in words.split() if word[0].isalpha()) and words[0].isupper()

    marked = [document["text"][span["start"] : span["end"]] for span in document["spans"] if span["label"] == "PER"]
    return {words.lower() for words in marked if is_name(words)}


def names_langextract(server, documents, passes):
    shown = example(NAMES_EXAMPLE[0], [("person", name) for name in NAMES_EXAMPLE[1]])
    score = Names()
    for document in documents:
        text = document["text"]
        extractions = ask_langextract(
            server, text, NAMES_TASK, [shown], max_char_buffer=CHUNK, extraction_passes=passes
        )
        found = [(extraction.extraction_text, words_at_place(text, extraction)) for extraction in extractions or []]
        # It does not say which chunks it dropped; a document without an answer counts as one.
        score.count(gold_names(document), found, extractions is None)
    return score


def names_ours(server, documents, passes, attempts):
    printed = subprocess.run(
        [PROGRAMS / "names", "--agent", "openai/local", "--server", server.url, "--documents", NAMES]
        + ["--limit", str(len(documents)), "--chars", str(CHUNK), "--passes", str(passes)]
        + ["--attempts", str(attempts)],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    score = Names()
    for document, line in zip(documents, printed.splitlines(), strict=True):
        answer, text = json.loads(line), document["text"].encode()
        place = lambda span: text[span[0] : span[1]].decode() if span is not None else None
        found = [(name["name"], place(name["span"])) for name in answer["found"]]
        score.count(gold_names(document), found, answer["gaps"])
    return score


# ---- both


def table(columns):
    columns = f"| | {columns} | requests | tokens in | tokens out | right and placed per 1,000 tokens | seconds |"
    print(columns)
    print("|---" * (columns.count("|") - 1) + "|", flush=True)


def row(server, name, ask):
    server.counter.reset()
    score, counter = ask(), server.counter
    right = score.placed if isinstance(score, Fields) else score.right
    tokens = counter.input_tokens + counter.output_tokens
    print(
        f"| {name} | {score.cells()} | {counter.requests} | {counter.input_tokens} | {counter.output_tokens} "
        f"| {1000 * right / max(tokens, 1):.2f} | {counter.seconds:.0f} |",
        flush=True,
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--weights", required=True, help="a model as a GGUF file")
    options.add_argument("--fields", type=int, default=60, help="messages of the task `fields`; 0 leaves it out")
    options.add_argument("--names", type=int, default=4, help="texts of the task `names`; 0 leaves it out")
    options.add_argument("--shots", type=int, default=3, help="worked examples of the task `fields`")
    options.add_argument("--threads", type=int, default=os.cpu_count())
    options = options.parse_args()
    server = Server(options.weights, options.threads)
    peer = f"langextract {version('langextract')}"

    if options.fields:
        documents = [json.loads(line) for line in FIELDS.read_text().splitlines()]
        examples = documents[-20:][: options.shots]
        documents = documents[: options.fields]
        print(f"\n{len(documents)} messages, {options.shots} worked examples\n")
        table(Fields.COLUMNS)
        row(server, "ours", lambda: fields_ours(server, documents, examples))
        row(server, "ours, without examples", lambda: fields_ours(server, documents, []))
        row(server, peer, lambda: fields_langextract(server, documents, examples))

    if options.names:
        documents = [json.loads(line) for line in NAMES.read_text().splitlines()][: options.names]
        print(f"\n{len(documents)} texts, {sum(len(document['text']) for document in documents)} characters\n")
        table(Names.COLUMNS)
        for passes in (1, 2):
            told = "one pass" if passes == 1 else f"{passes} passes"
            for attempts in (1, 3):
                name = f"ours, {told}, {attempts} attempt{'s' if attempts > 1 else ''}"
                row(server, name, lambda: names_ours(server, documents, passes, attempts))
            row(server, f"{peer}, {told}", lambda: names_langextract(server, documents, passes))


if __name__ == "__main__":
    main()
