"""Follows the links of the README, of the front page and of the book, as far as they stay in the project.

usage: links.py <repository> <folder that `cargo doc` wrote>
"""

import pathlib
import re
import sys
import urllib.parse

PROJECT = re.compile(r"https://(?:github\.com/extractable-rs/extractable/(?:blob|tree)/main|raw\.githubusercontent\.com/extractable-rs/extractable/main)/(.*)")
REFERENCE = re.compile(r"https://docs\.rs/(extractable(?:-[a-z]+)?)(?:/latest)?/?(.*)")


def prose(text):
    """Without code, in which brackets are no links."""
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.S | re.M)


def anchors(page):
    """What its headings are called in a link."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def problem(repository, documentation, page, link):
    """What is wrong with a link, if anything is."""
    if reference := REFERENCE.fullmatch(link):
        place = reference[2].split("#")[0]
        if not place or not documentation:
            return None
        return None if (documentation / place).exists() else f"{place} is not in the documentation"
    if project := PROJECT.fullmatch(link):
        target, _, anchor = project[1].partition("#")
        file = repository / target
    elif re.match(r"[a-z]+:", link):
        return None
    else:
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
    if not file.exists():
        return f"{file} does not exist"
    if anchor and file.suffix == ".md" and urllib.parse.unquote(anchor) not in anchors(file):
        return f"{file.name} has no heading #{anchor}"
    return None


def main(repository, documentation):
    pages = [repository / "README.md", repository / "extract/front_page.md", repository / "CONTRIBUTING.md"]
    pages += sorted(repository.glob("docs/**/*.md")) + sorted(repository.glob("examples/*.md"))
    count, wrong = 0, []
    for page in pages:
        text = prose(page.read_text())
        # A name of an item would be a link in the documentation, and brackets where the page is read as Markdown.
        for name in re.findall(r"\[(`[^`\n]+`)\](?![\[(:])", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)):
            if f"\n[{name}]: " not in page.read_text():
                wrong.append(f"{page.relative_to(repository)}: [{name}] has no address")
        links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
        for link in links + re.findall(r"^\[[^\]]*\]: (\S+)$", text, flags=re.M):
            count += 1
            if reason := problem(repository, documentation, page, link):
                wrong.append(f"{page.relative_to(repository)}: {link}: {reason}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{count} links")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
