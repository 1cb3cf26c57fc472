"""Bars as SVG: one colour for us, one for the others, readable on light and dark."""

from xml.sax.saxutils import escape

ROW, LEFT, WIDTH = 28, 190, 420


def bars(title, rows):
    """A picture of named numbers, the first of which is ours."""
    most = max(number for _, number in rows) or 1
    height = 40 + ROW * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 80} {height}" font-family="sans-serif" font-size="13">',
        "<style>text{fill:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        f'<text x="8" y="20" font-weight="bold">{escape(title)}</text>',
    ]
    for at, (name, number) in enumerate(rows):
        top, width = 32 + at * ROW, max(1, WIDTH * number / most)
        lines.append(f'<text x="{LEFT - 8}" y="{top + 15}" text-anchor="end">{escape(name.replace("`", ""))}</text>')
        lines.append(f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="20" fill="{"#2a7de1" if at == 0 else "#999"}"/>')
        lines.append(f'<text x="{LEFT + width + 6:.1f}" y="{top + 15}">{number:,.0f}</text>')
    return "\n".join([*lines, "</svg>", ""])
