"""Checks that Python's form parsers read the intended values: `python -m interop.parsers FOLDER`.

Tests/InteropTests writes the cases into the folder: forms and multipart forms, each with its intended values. A
deviation that is not listed in expectations.py is a failure.
"""

import argparse
import base64
import collections
import json
import os
import sys

from .expectations import FORMS, PARTS, matches
from .readers import READERS, Part

# The minimum number of cases. Fewer mean that the suite did not write them correctly.
MINIMUM = 1000
# The number of differences to show for each parser.
SHOWN = 3


def cases(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    if len(found) < MINIMUM:
        sys.exit(f"{name} has {len(found)} cases; at least {MINIMUM} are expected")
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
    """Prints the number of unexpected results, and returns whether there are none and every row applied to a case."""
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
                print(f"  FAIL  {reader.name}: case {case['number']} of {kind}, {case['contentType']}\n"
                      f"        is read as {result!r}\n        instead of {expected!r}")
    unused = [reason for reason, _ in rows if not explained[reason]]
    for reason in unused:
        print(f"  FAIL  {reader.name}: no case of {kind} shows this deviation: {reason}")
    print(f"  {reader.name:16} {kind:16} {len(found):5} cases, {differences} differences, {len(rows)} known deviations")
    if verbose:
        for reason, _ in rows:
            print(f"    {explained[reason]:5} times: {reason}")
    return not differences and not unused


def main(folder, verbose):
    forms, multipart = cases(folder, "forms.ndjson"), cases(folder, "multipart.ndjson")
    good = []
    for make in READERS:
        try:
            reader = make()
        except ImportError as error:
            print(f"  {make.name:16} skipped: {error}")
            continue
        if hasattr(reader, "forms"):
            good.append(compare(reader, "forms", reader.forms, forms, FORMS[reader.name], verbose))
        if hasattr(reader, "parts"):
            good.append(compare(reader, "multipart forms", reader.parts, multipart, PARTS[reader.name], verbose))
    print(f"parsers: {sum(good)} of {len(good)} read {len(forms)} forms and {len(multipart)} multipart forms as expected")
    return 0 if all(good) else 1


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="interop.parsers", description="Checks that parsers read the right values.")
    arguments.add_argument("folder", metavar="FOLDER", help="the folder with the cases of Tests/InteropTests")
    arguments.add_argument("-v", "--verbose", action="store_true", help="list the known deviations and their numbers")
    options = arguments.parse_args()
    sys.exit(main(options.folder, options.verbose))
