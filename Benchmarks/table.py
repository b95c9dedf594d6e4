#!/usr/bin/env python3
"""Writes the speed table of README.md from the results of `Scripts/bench --json FILE`: Benchmarks/table.py FILE"""

import json
import os
import sys

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "README.md")
BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
CLIENTS = [
    ("apus-loop", "on the loop"), ("apus-task", "tasks"), ("apus-handle", "handle"),
    ("async-http-client", "AsyncHTTPClient"), ("urlsession", "URLSession"), ("go", "Go net/http"), ("curl", "curl"),
]
WORKS = [
    ("get-100B-c1", "GET 100 B, one at a time"), ("get-100B-c32", "GET 100 B, 32 at a time"),
    ("get-100B-c256", "GET 100 B, 256 at a time"), ("json-8KB-c32", "GET 8 KB of JSON, decoded, 32 at a time"),
    ("down-1GiB", "1 GiB download"), ("down-1GiB-file", "1 GiB download to a file"), ("up-256MiB", "256 MiB upload"),
    ("tls-get-100B-c1", "GET 100 B over TLS, one at a time"),
    ("tls-get-100B-c32", "GET 100 B over TLS, 32 at a time"), ("tls-down-1GiB", "1 GiB download over TLS"),
]


def cell(row):
    if row is None:
        return ""
    if "cpuMicrosecondsPerRequest" in row:
        return "%.1f" % row["cpuMicrosecondsPerRequest"]
    if "cpuSecondsPerGigabyte" in row:
        return "%.2f" % row["cpuSecondsPerGigabyte"]
    return ""


def table(rows):
    found = {(row["work"], row["client"]): row for row in rows}
    lines = ["| work | " + " | ".join(name for _, name in CLIENTS) + " |", "|---" * (len(CLIENTS) + 1) + "|"]
    for work, name in WORKS:
        cells = [cell(found.get((work, client))) for client, _ in CLIENTS]
        if any(cells):
            lines.append("| " + " | ".join([name] + cells) + " |")
    return "\n".join(lines)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        rows = json.load(file)["rows"]
    with open(README) as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    with open(README, "w") as file:
        file.write(before + BEGIN + "\n" + table(rows) + "\n" + END + after)


if __name__ == "__main__":
    main()
