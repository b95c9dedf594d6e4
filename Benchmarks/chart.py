"""Draws the bar chart: a panel for each work, with colors for light and dark pages."""

from html import escape

from report import PRIMARY
from works import APUS, WORKS

WIDTH = 900
MARGIN = 24
COLUMN = (WIDTH - 3 * MARGIN) // 2
LABEL = 118
VALUE = 66
ROW = 20
HEAD = 46
GAP = 22
UNITS = {"requests": "µs of CPU per request", "volume": "s of CPU per GB", "memory": "KiB of memory each"}

STYLE = """
    .page { fill: #ffffff } .title { fill: #14202b } .name { fill: #14202b } .note { fill: #5a6875 }
    .apus { fill: #0b7a75 } .peer { fill: #a9b4bf } .limit { fill: #dbe1e7 } .cut { stroke: #ffffff }
    .rule { stroke: #d5dbe1 }
    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px }
    .title { font-size: 17px; font-weight: 600 } .name { font-size: 13px; font-weight: 600 }
    .row { fill: #14202b } .value { fill: #14202b; font-variant-numeric: tabular-nums }
    .strong { font-weight: 600 } .note { font-size: 11px }
    @media (prefers-color-scheme: dark) {
        .page { fill: #0f151b } .title, .name, .row, .value { fill: #e8edf2 } .note { fill: #9aa8b5 }
        .apus { fill: #35b8ae } .peer { fill: #56636f } .limit { fill: #323d47 } .cut { stroke: #0f151b }
        .rule { stroke: #2b3640 }
    }
"""


def svg(result):
    """Returns the picture as SVG text."""
    by_work = {}
    for row in result["rows"]:
        by_work.setdefault(row["work"], []).append(row)
    panels = [(work, by_work[work.name]) for work in WORKS if work.name in by_work]
    body = []
    y = 72
    for left in range(0, len(panels), 2):
        pair = panels[left:left + 2]
        for column, (work, rows) in enumerate(pair):
            body += panel(work, rows, MARGIN + column * (COLUMN + MARGIN), y)
        y += HEAD + ROW * max(len(rows) for _, rows in pair) + GAP
    height = y + 22
    machine = result["machine"]
    note = (f"Medians of {result['rounds']} alternating runs against nginx on a second core · "
            f"{machine['processor']} · client on one core")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-label="Cost of HTTP clients, shorter is better">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
        f'<text class="title" x="{MARGIN}" y="32">Cost of a request: shorter is better</text>',
        f'<text class="note" x="{MARGIN}" y="50">{escape(note)}</text>',
        *body,
        f'<text class="note" x="{MARGIN}" y="{height - 14}">wrk ignores responses, so it is a lower bound and not a '
        'client. A cut bar is not to scale; its number is exact.</text>',
        "</svg>",
        "",
    ])


def panel(work, rows, x, y):
    key = PRIMARY[work.kind]
    scale = 1024 if work.kind == "memory" else 1
    values = [max(row[key], 0) / scale for row in rows]
    end = axis(values)
    width = COLUMN - LABEL - VALUE
    lines = [
        f'<line class="rule" x1="{x}" y1="{y}" x2="{x + COLUMN}" y2="{y}"/>',
        f'<text class="name" x="{x}" y="{y + 19}">{escape(work.name)}</text>',
        f'<text class="note" x="{x + COLUMN}" y="{y + 19}" text-anchor="end">{UNITS[work.kind]}</text>',
        f'<text class="note" x="{x}" y="{y + 35}">{escape(work.title)}</text>',
    ]
    for number, (row, value) in enumerate(zip(rows, values)):
        top = y + HEAD + number * ROW
        ours = row["client"] in APUS
        kind = "apus" if ours else "limit" if row["client"] == "wrk" else "peer"
        strong = " strong" if ours else ""
        length = max(width * min(value / end, 1), 1)
        lines += [
            f'<text class="row{strong}" x="{x}" y="{top + 12}">{escape(row["client"])}</text>',
            f'<rect class="{kind}" x="{x + LABEL}" y="{top + 2}" width="{length:.1f}" height="13" rx="2"/>',
            f'<text class="value{strong}" x="{x + COLUMN}" y="{top + 12}" text-anchor="end">'
            f"{number_text(value)}</text>",
        ]
        if value > end:
            cut = x + LABEL + width - 26
            lines.append(
                f'<path class="cut" d="M{cut} {top + 17} l6 -17 M{cut + 7} {top + 17} l6 -17" '
                'stroke-width="3" fill="none"/>')
    return lines


def axis(values):
    """Returns the end of the scale. Bars that would make all others too short are cut."""
    ordered = sorted(values)
    end = ordered[-1]
    for shorter, longer in zip(ordered[1:], ordered[2:]):
        if shorter > 0 and longer > 2.5 * shorter and len(ordered) > 3:
            end = shorter * 1.35
            break
    return end or 1


def number_text(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
