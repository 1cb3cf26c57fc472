"""Bars as SVG: one colour for us, one for the others, readable on light and dark, and on a phone."""

import textwrap
from xml.sax.saxutils import escape

ROW, LEFT, WIDTH, RIGHT = 28, 165, 225, 70

# So that a title is not wider than the picture.
TITLE_CHARS = 52


def bars(title, rows):
    """A picture of named numbers, the first of which is ours."""
    most = max(number for _, number in rows) or 1
    titles = textwrap.wrap(title, TITLE_CHARS)
    start = 12 + 20 * len(titles)
    size = f"{LEFT + WIDTH + RIGHT} {start + 8 + ROW * len(rows)}"
    width, height = size.split()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width}" height="{height}" font-family="sans-serif" font-size="14">',
        "<style>text{fill:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
    ]
    for at, line in enumerate(titles):
        lines.append(f'<text x="8" y="{20 + 20 * at}" font-weight="bold">{escape(line)}</text>')
    for at, (name, number) in enumerate(rows):
        top, width = start + at * ROW, max(1, WIDTH * number / most)
        lines.append(f'<text x="{LEFT - 8}" y="{top + 15}" text-anchor="end">{escape(name.replace("`", ""))}</text>')
        lines.append(f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="20" fill="{"#2a7de1" if at == 0 else "#999"}"/>')
        lines.append(f'<text x="{LEFT + width + 6:.1f}" y="{top + 15}">{number:,.0f}</text>')
    return "\n".join([*lines, "</svg>", ""])
