"""What each parser reads otherwise than it was meant, and why that is so: the whole table of it.

A row is a reason and a function from what is expected to what is to be expected instead. A row that changes nothing
in any case is a mistake, as is anything that a parser reads otherwise and that has no row.
"""

import dataclasses
import re


# What there is no telling: it is what was read, whatever that is.
ANYTHING = type("Anything", (), {"__repr__": lambda _: "(anything)"})()


def matches(found, expected):
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return all(map(matches, found, expected))
    if dataclasses.is_dataclass(found) and dataclasses.is_dataclass(expected):
        return all(map(matches, vars(found).values(), vars(expected).values()))
    return expected is ANYTHING or found == expected


def of_names(change):
    """A row's function from one that changes names, those of fields and of files, given which it is."""

    def apply(part):
        file_name = None if part.file_name is None else change(part.file_name, True)
        return dataclasses.replace(part, name=change(part.name, False), file_name=file_name)

    return lambda parts: [apply(part) for part in parts]


def each(change):
    return lambda items: [change(item) for item in items]


# Forms: pairs of a name and a value.

WITHOUT_NAME = (
    "a name alone that is empty is no field: nothing stands between the ampersands",
    lambda pairs: [pair for pair in pairs if pair != ("", None)],
)
ALONE = (
    "a name alone has the empty value",
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
        ("a field whose name is empty is dropped", lambda pairs: [pair for pair in pairs if pair[0]]),
        ("values of one name stand together, where the first stands", grouped),
    ),
    "python-multipart": (WITHOUT_NAME, ALONE),
}

# Forms with files: parts.


def written(name, is_file):
    """The HTML Standard, multipart/form-data: a line break in a name is CR LF; not so in a file's."""
    if not is_file:
        name = re.sub("\r\n|\r|\n", "\r\n", name)
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


BROWSER = (
    "quotes and line breaks in names stay percent-encoded, as browsers write them",
    of_names(written),
)
TWO_BACKSLASHES = (
    "two backslashes are one: names between quotes are read as RFC 9110's quoted strings, which browsers do not write",
    of_names(lambda name, _: name.replace("\\\\", "\\")),
)
NO_FOLDERS = (
    "of a file's name that begins like C:\\ or \\\\ the folders are left out, as if Internet Explorer 6 had sent it",
    of_names(lambda name, is_file: name.rpartition("\\")[2]
             if is_file and (name[1:3] == ":\\" or name[:2] == "\\\\") else name),
)


def swallowed(part):
    if part.name.endswith("\\") and part.file_name is not None:
        return dataclasses.replace(part, name=ANYTHING, file_name=ANYTHING)
    return part


LAST_BACKSLASH = (
    "a backslash at the end of a name takes away the meaning of the quotes behind it, and where the name of a file "
    "follows there is no telling what is read of both",
    each(swallowed),
)

PARAMETER = re.compile(
    r''';[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:\\.|[^"\\])*)"|".*)''', re.ASCII | re.DOTALL)


def quoted_string(part):
    """The names, read as RFC 9110's quoted strings from the line that a browser writes."""
    file = "" if part.file_name is None else f'; filename="{part.file_name}"'
    found = {"name": None, "filename": None}
    for match in PARAMETER.finditer(f'form-data; name="{part.name}"{file}'):
        value = match[2] if match[2] is not None else match[3]
        if value is not None:
            found[match[1].lower()] = re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
    return dataclasses.replace(part, name=found["name"], file_name=found["filename"])


def as_text(part):
    """Werkzeug gives fields that are no files as text, in the character set that they name."""
    if part.file_name is not None:
        return part
    character_set = "iso-8859-1" if "iso-8859-1" in (part.media_type or "") else "utf-8"
    return dataclasses.replace(part, media_type=None, content=part.content.decode(character_set, "replace"))


PARTS = {
    "email": (
        BROWSER,
        TWO_BACKSLASHES,
        LAST_BACKSLASH,
        ("without a part it is no multipart: RFC 2046 has one at least", lambda parts: parts or None),
    ),
    "Werkzeug": (
        BROWSER,
        ("names between quotes are read as RFC 9110's quoted strings, which browsers do not write", each(quoted_string)),
        ("%22 is a quote again; line breaks are not", of_names(lambda name, _: name and name.replace("%22", '"'))),
        ("what is no file is text, and has no media type", each(as_text)),
        ("files stand behind the fields", lambda parts: sorted(parts, key=lambda part: part.file_name is not None)),
    ),
    "multipart": (
        BROWSER,
        ("quotes and line breaks are what they were", of_names(
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
