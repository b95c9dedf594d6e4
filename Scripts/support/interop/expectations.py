"""The known deviations of each parser from the intended values, with their reasons.

A row is a reason and a function from the intended values to those that the parser returns. A row that changes no case
is an error, and so is a deviation without a row.
"""

import dataclasses
import re


# Matches every value, for values that cannot be predicted.
ANYTHING = type("Anything", (), {"__repr__": lambda _: "(anything)"})()


def matches(found, expected):
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return all(map(matches, found, expected))
    if dataclasses.is_dataclass(found) and dataclasses.is_dataclass(expected):
        return all(map(matches, vars(found).values(), vars(expected).values()))
    return expected is ANYTHING or found == expected


def of_names(change):
    """Returns a row's function from one that changes a name, and that takes whether it is the name of a file."""

    def apply(part):
        file_name = None if part.file_name is None else change(part.file_name, True)
        return dataclasses.replace(part, name=change(part.name, False), file_name=file_name)

    return lambda parts: [apply(part) for part in parts]


def each(change):
    return lambda items: [change(item) for item in items]


# Forms are pairs of a name and a value.

WITHOUT_NAME = (
    "an empty field between two ampersands is ignored",
    lambda pairs: [pair for pair in pairs if pair != ("", None)],
)
ALONE = (
    "a name without a value has the empty value",
    each(lambda pair: (pair[0], pair[1] or "")),
)


def grouped(pairs):
    return [pair for name in dict.fromkeys(name for name, _ in pairs) for pair in pairs if pair[0] == name]


FORMS = {
    "urllib.parse": (WITHOUT_NAME, ALONE),
    "Werkzeug": (WITHOUT_NAME, ALONE),
    "multipart": (
        WITHOUT_NAME,
        ALONE,
        ("a field with an empty name is dropped", lambda pairs: [pair for pair in pairs if pair[0]]),
        ("the values of a repeated name are grouped at the first one", grouped),
    ),
    "python-multipart": (WITHOUT_NAME, ALONE),
}

# Multipart forms are parts.


def written(name, is_file):
    """Encodes a name as in the HTML Standard: line breaks become CR LF in the names of fields, but not of files."""
    if not is_file:
        name = re.sub("\r\n|\r|\n", "\r\n", name)
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


BROWSER = (
    "quotes and line breaks in names stay percent-encoded, as sent by browsers",
    of_names(written),
)
TWO_BACKSLASHES = (
    "two backslashes become one: names are read as quoted strings of RFC 9110, which browsers do not write",
    of_names(lambda name, _: name.replace("\\\\", "\\")),
)
NO_FOLDERS = (
    "folders are removed from a file name that begins with C:\\ or \\\\, a workaround for Internet Explorer 6",
    of_names(lambda name, is_file: name.rpartition("\\")[2]
             if is_file and (name[1:3] == ":\\" or name[:2] == "\\\\") else name),
)


def swallowed(part):
    if part.name.endswith("\\") and part.file_name is not None:
        return dataclasses.replace(part, name=ANYTHING, file_name=ANYTHING)
    return part


LAST_BACKSLASH = (
    "a backslash at the end of a name escapes the closing quote, so both names are unpredictable if a file name "
    "follows",
    each(swallowed),
)

PARAMETER = re.compile(
    r''';[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:\\.|[^"\\])*)"|".*)''', re.ASCII | re.DOTALL)


def quoted_string(part):
    """Reads the names of a browser's Content-Disposition field as quoted strings of RFC 9110."""
    file = "" if part.file_name is None else f'; filename="{part.file_name}"'
    found = {"name": None, "filename": None}
    for match in PARAMETER.finditer(f'form-data; name="{part.name}"{file}'):
        value = match[2] if match[2] is not None else match[3]
        if value is not None:
            found[match[1].lower()] = re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
    return dataclasses.replace(part, name=found["name"], file_name=found["filename"])


def as_text(part):
    """Decodes a part without a file name as text, in the character set of its media type."""
    if part.file_name is not None:
        return part
    character_set = "iso-8859-1" if "iso-8859-1" in (part.media_type or "") else "utf-8"
    return dataclasses.replace(part, media_type=None, content=part.content.decode(character_set, "replace"))


PARTS = {
    "email": (
        BROWSER,
        TWO_BACKSLASHES,
        LAST_BACKSLASH,
        ("a form without parts is not multipart: RFC 2046 requires at least one", lambda parts: parts or None),
    ),
    "Werkzeug": (
        BROWSER,
        ("names are read as quoted strings of RFC 9110, which browsers do not write", each(quoted_string)),
        ("%22 is decoded to a quote; line breaks stay encoded", of_names(lambda name, _: name and name.replace("%22", '"'))),
        ("a part without a file name is text and has no media type", each(as_text)),
        ("files follow the fields", lambda parts: sorted(parts, key=lambda part: part.file_name is not None)),
    ),
    "multipart": (
        BROWSER,
        ("quotes and line breaks are decoded", of_names(
            lambda name, _: name.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"'))),
        NO_FOLDERS,
    ),
    "python-multipart": (
        BROWSER,
        TWO_BACKSLASHES,
        NO_FOLDERS,
        LAST_BACKSLASH,
    ),
}
