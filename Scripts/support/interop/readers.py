"""Python's form parsers, called in the same way as by the servers that use them.

Each has `forms`, which returns the pairs of a form, or `parts`, which returns the parts of a multipart form, or both.
The limits of the parsers are not under test, and are set high enough for every case.
"""

import dataclasses
import email.parser
import email.policy
import io
from importlib import import_module
from urllib.parse import parse_qsl, unquote_to_bytes

MANY = 1 << 30


@dataclasses.dataclass
class Part:
    """A part of a multipart form."""

    name: str
    file_name: str
    media_type: str
    content: bytes


class Urllib:
    name = "urllib.parse"

    def forms(self, case):
        # With strict_parsing, a name without an equals sign is an error.
        has_names_alone = any(value is None for _, value in case["meant"])
        return parse_qsl(
            case["body"].decode("ascii"), keep_blank_values=True, strict_parsing=not has_names_alone, errors="strict",
            max_num_fields=len(case["meant"]),
        )


class Email:
    """The mail parser. With its Content-Type field in front, a multipart form is a MIME message."""

    name = "email"

    class Raw(email.policy.Compat32):
        def header_fetch_parse(self, name, value):
            return value

    def parts(self, case):
        head = f"MIME-Version: 1.0\r\nContent-Type: {case['contentType']}\r\n\r\n".encode()
        message = email.parser.BytesParser(policy=self.Raw()).parsebytes(head + case["body"])
        return [self.part(part) for part in message.get_payload()] if message.is_multipart() else None

    def part(self, part):
        def parameter(name):
            return text(part.get_param(name, header="Content-Disposition"))

        def text(value):
            return value and value.encode("ascii", "surrogateescape").decode()

        return Part(parameter("name"), parameter("filename"), text(part["Content-Type"]), part.get_payload(decode=True))


class Werkzeug:
    """The parser of Flask, and therefore of httpbin."""

    name = "Werkzeug"

    def __init__(self):
        self.parser = import_module("werkzeug.formparser").FormDataParser
        self.options = import_module("werkzeug.http").parse_options_header

    def read(self, case):
        media_type, options = self.options(case["contentType"])
        # Lists instead of dictionaries keep repeated names.
        parser = self.parser(cls=list, silent=False)
        return parser.parse(io.BytesIO(case["body"]), media_type, len(case["body"]), options)[1:]

    def forms(self, case):
        return self.read(case)[0]

    def parts(self, case):
        fields, files = self.read(case)
        return [Part(name, None, None, value) for name, value in fields] + [
            Part(name, file.filename, file.headers.get("Content-Type"), file.read()) for name, file in files
        ]


class Multipart:
    """The parser of Bottle, from the package `multipart`."""

    name = "multipart"

    def __init__(self):
        self.module = import_module("multipart")

    def forms(self, case):
        environ = {
            "wsgi.input": io.BytesIO(case["body"]), "CONTENT_TYPE": case["contentType"],
            "CONTENT_LENGTH": str(len(case["body"])),
        }
        fields, _ = self.module.parse_form_data(environ, strict=True, part_limit=MANY, memory_limit=MANY)
        return list(fields.iterallitems())

    def parts(self, case):
        media_type, options = self.module.parse_options_header(case["contentType"])
        if media_type != "multipart/form-data":
            raise ValueError(media_type)
        parser = self.module.MultipartParser(
            io.BytesIO(case["body"]), options["boundary"], len(case["body"]), strict=True, part_limit=MANY,
            headersize_limit=MANY, memory_limit=MANY,
        )
        return [Part(part.name, part.filename, part.headers.get("Content-Type"), part.raw) for part in parser]


class PythonMultipart:
    """The parser of Starlette and FastAPI, from the package `python-multipart`."""

    name = "python-multipart"

    def __init__(self):
        self.module = import_module("python_multipart")

    def forms(self, case):
        fields = []
        self.read(case, lambda field: fields.append((field.field_name, field.value)), None)

        def text(encoded):
            # The parser does not decode names and values. Starlette does it like this.
            return unquote_to_bytes((encoded or b"").replace(b"+", b" ")).decode()

        return [(text(name), text(value)) for name, value in fields]

    def parts(self, case):
        parts = []

        def add_file(file):
            file.file_object.seek(0)
            content = file.file_object.read()
            parts.append(Part(file.field_name.decode(), file.file_name.decode(), file.content_type, content))

        def add_field(field):
            parts.append(Part(field.field_name.decode(), None, field.content_type, field.value))

        self.read(case, add_field, add_file)
        return parts

    def read(self, case, on_field, on_file):
        config = {"MAX_HEADER_SIZE": MANY, "MAX_MEMORY_FILE_SIZE": MANY}
        parser = self.module.create_form_parser({"Content-Type": case["contentType"]}, on_field, on_file, config)
        parser.write(case["body"])
        parser.finalize()


READERS = (Urllib, Email, Werkzeug, Multipart, PythonMultipart)
