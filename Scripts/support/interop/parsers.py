"""Compares what parsers of Python's world read with what was meant: `python -m interop.parsers FOLDER`.

Tests/InteropTests writes the cases there, forms and forms with files, each with what is in it. What a parser reads
otherwise is in the table of expectations.py, or it is a difference.
"""

import argparse
import base64
import collections
import json
import os
import sys

from .expectations import FORMS, PARTS, matches
from .readers import READERS, Part

# So many cases there are at least; fewer were not written as they should be.
LEAST = 1000
# So many differences of a parser are shown.
SHOWN = 3


def cases(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    if len(found) < LEAST:
        sys.exit(f"{name} has {len(found)} cases; {LEAST} are the least")
    for case in found:
        case["body"] = base64.b64decode(case["body"])
        if "parts" in case:
            case["meant"] = [
                Part(part["name"], part.get("fileName"), part.get("mimeType"), base64.b64decode(part["content"]))
                for part in case["parts"]
            ]
        else:
            case["meant"] = [(name, value) for name, value in case["meant"]]
    return found


def compare(reader, kind, read, found, rows, verbose):
    """Prints how many cases are read otherwise than expected; returns whether there are none, and no idle row."""
    explained = collections.Counter()
    differences = 0
    for case in found:
        expected = case["meant"]
        for reason, change in rows:
            before, expected = expected, change(expected)
            explained[reason] += before != expected
        try:
            result = read(case)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        if not matches(result, expected):
            differences += 1
            if differences <= SHOWN:
                print(f"  no    {reader.name}: case {case['number']} of {kind}, {case['contentType']}\n"
                      f"        is read as {result!r}\n        and not as {expected!r}")
    idle = [reason for reason, _ in rows if not explained[reason]]
    for reason in idle:
        print(f"  no    {reader.name}: no case of {kind} is read so: {reason}")
    print(f"  {reader.name:16} {kind:16} {len(found):5} cases, {differences} differences; {len(rows)} kinds are explained")
    if verbose:
        for reason, _ in rows:
            print(f"    {explained[reason]:5} times: {reason}")
    return not differences and not idle


def main(folder, verbose):
    forms, multipart = cases(folder, "forms.ndjson"), cases(folder, "multipart.ndjson")
    good = []
    for make in READERS:
        try:
            reader = make()
        except ImportError as error:
            print(f"  {make.name:16} left out: {error}")
            continue
        if hasattr(reader, "forms"):
            good.append(compare(reader, "forms", reader.forms, forms, FORMS[reader.name], verbose))
        if hasattr(reader, "parts"):
            good.append(compare(reader, "forms with files", reader.parts, multipart, PARTS[reader.name], verbose))
    print(f"parsers: {sum(good)} of {len(good)} read {len(forms)} forms and {len(multipart)} with files as expected")
    return 0 if all(good) else 1


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="interop.parsers", description="Compares what parsers read with what was meant.")
    arguments.add_argument("folder", metavar="FOLDER", help="where Tests/InteropTests wrote the cases")
    arguments.add_argument("-v", "--verbose", action="store_true", help="tell what is explained, and how often it came up")
    options = arguments.parse_args()
    sys.exit(main(options.folder, options.verbose))
