#!/usr/bin/env python3
"""Runs a command in a terminal and writes what it showed as an animated SVG.

    python3 -m pip install -r docs/recording/requirements.txt
    python3 docs/recording/record.py -o docs/recording/stream.svg \\
        --shown "cargo run --release -p extractable-local --example stream" -- target/release/examples/stream

Every row of the screen is a few `<text>` elements, each shown from one moment to another, so what stays is written
once. Pauses are cut to a second, and the end stands for four. Nothing else is changed.
"""

import argparse
import codecs
import os
import pty
import select
import time
from xml.sax.saxutils import escape

import pyte

LONGEST_PAUSE = 1.0
END = 4.0
ROW, COLUMN, MARGIN = 19, 8.4, 16


def run(command, columns, rows):
    """The screens of the command, each with the second at which it stood."""
    screen = pyte.Screen(columns, rows)
    stream = pyte.Stream(screen)
    child, terminal = pty.fork()
    if child == 0:
        os.environ["COLUMNS"], os.environ["LINES"] = str(columns), str(rows)
        os.execvp(command[0], command)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    screens, clock, last = [], 0.0, time.monotonic()
    while True:
        select.select([terminal], [], [])
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            data = b""
        if not data:
            break
        now = time.monotonic()
        clock += min(now - last, LONGEST_PAUSE)
        last = now
        stream.feed(decoder.decode(data))
        screens.append((clock, [row.rstrip() for row in screen.display]))
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise SystemExit(f"the command failed: {os.waitstatus_to_exitcode(status)}")
    return screens


def spans(screens, end):
    """Which text a row showed from when to when: (row, text, start, end)."""
    found = []
    for row in range(len(screens[0][1])):
        text, start = "", 0.0
        for clock, lines in [*screens, (end, None)]:
            line = lines[row] if lines else None
            if line != text:
                if text and clock > start:
                    found.append((row, text, start, clock))
                text, start = line, clock
    return found


def svg(title, screens, columns):
    end = screens[-1][0] + END
    parts = spans(screens, end)
    height = (max(row for row, *_ in parts) + 1) * ROW + 2 * MARGIN
    width = columns * COLUMN + 2 * MARGIN
    styles, texts = [], []
    for number, (row, text, start, stop) in enumerate(parts):
        y = MARGIN + row * ROW + 14
        shown = f'<text x="{MARGIN}" y="{y}" xml:space="preserve"'
        if start == 0.0 and stop == end:
            texts.append(f"{shown}>{escape(text)}</text>")
            continue
        begins, ends = 100 * start / end, 100 * stop / end
        moments = [(0, 0), (begins, 1)] if start > 0 else [(0, 1)]
        moments += [(ends, 0)] if stop < end else []
        frames = "".join(f"{at:.2f}%{{opacity:{opacity}}}" for at, opacity in moments)
        styles.append(f"@keyframes k{number}{{{frames}}}#t{number}{{opacity:0;animation:k{number} {end:.2f}s step-end infinite}}")
        texts.append(f'{shown} id="t{number}">{escape(text)}</text>')
    # Who asked for no motion sees the end.
    last = "".join(f"#t{number}{{opacity:1}}" for number, part in enumerate(parts) if part[3] == end)
    still = f"@media (prefers-reduced-motion:reduce){{text{{animation:none!important}}{last}}}"
    look = (
        "rect{fill:#f6f8fa}text{fill:#1f2328;font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}"
        "@media (prefers-color-scheme:dark){rect{fill:#161b22}text{fill:#e6edf3}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">'
        f"<title>{escape(title)}</title><style>{look}{''.join(styles)}{still}</style>"
        f'<rect width="100%" height="100%" rx="8"/>' + "\n".join(texts) + "</svg>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--shown", help="the command as the first row shows it; the real one by default")
    parser.add_argument("--columns", type=int, default=84)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    prompt = "$ " + (options.shown or " ".join(options.command))
    screens = [(clock, [prompt, *lines]) for clock, lines in run(options.command, options.columns, options.rows)]
    screens.insert(0, (0.0, [prompt] + [""] * options.rows))
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(svg(prompt, screens, options.columns))


if __name__ == "__main__":
    main()
