"""Writes a crate of the Rust snippets of the README and the book, each as printed.

usage: snippets.py <repository> <folder of the crate>
"""

import pathlib
import re
import sys

MANIFEST = """\
[package]
name = "newcomer"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
extractable = {{ path = "{repository}/extract" }}
extractable-bulk = {{ path = "{repository}/extract-bulk" }}
extractable-documents = {{ path = "{repository}/extract-documents", features = ["pdf"] }}
extractable-gold = {{ path = "{repository}/extract-gold" }}
extractable-mcp = {{ path = "{repository}/extract-mcp" }}
extractable-agents = {{ path = "{repository}/extract-agents" }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}

[profile.dev]
debug = 0
"""


def snippets(page):
    """The Rust snippets of a page: the words behind `rust` and the text."""
    return re.findall(r"^```rust,?(\S*)\n(.*?)^```$", page.read_text(), flags=re.S | re.M)


def main(repository, crate):
    (crate / "src/bin").mkdir(parents=True)
    (crate / "tests").mkdir()
    (crate / "Cargo.toml").write_text(MANIFEST.format(repository=repository))
    programs, wrong = [], []
    for page in [repository / "README.md", *sorted((repository / "docs").glob("*.md"))]:
        for number, (words, text) in enumerate(snippets(page), 1):
            if "ignore" in words:  # the code of another library
                continue
            name = f"{page.stem.lower().replace('-', '_')}_{number}"
            if re.search(r"^# ", text, flags=re.M):
                wrong.append(f"{page.name}: snippet {number} has hidden lines")
            if "#[test]" in text:
                (crate / f"tests/{name}.rs").write_text(text)
            elif "fn main()" in text:
                (crate / f"src/bin/{name}.rs").write_text(text)
                programs += [] if "no_run" in words else [name]
            else:
                wrong.append(f"{page.name}: snippet {number} is neither a program nor a test")
    (crate / "programs").write_text("\n".join(programs))
    if wrong:
        sys.exit("\n".join(wrong))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
