"""The rules by which two parsers may read a response differently. A difference without a rule is a finding."""

import re

from .cases import SECOND

# Apus rejects a response that another parser accepts. This never mixes the bytes of two responses.
REFUSED = {
    "statusLineInvalid": "a status line is `HTTP/1.x SP 3DIGIT`, with nothing before it (RFC 9112 §4, §2.2)",
    "versionUnsupported": "the version is not HTTP/1.x (RFC 9112 §2.3)",
    "fieldNameInvalid": "a field line begins with a token and a colon (RFC 9112 §5.1)",
    "fieldValueInvalid": "a field value contains no control character (RFC 9110 §5.5)",
    "whiteSpaceAheadOfFields": "white space before the first field is rejected (RFC 9112 §2.2)",
    "bareLineFeed": "a lone LF does not end a line in chunked framing (RFC 9112 §7.1)",
    "bareCarriageReturn": "a CR without an LF is invalid (RFC 9112 §2.2)",
    "contentLengthInvalid": "an invalid Content-Length is an error (RFC 9112 §6.3)",
    "contentLengthConflict": "contradictory lengths are an error (RFC 9112 §6.3)",
    "lengthWithTransferEncoding": "Content-Length with Transfer-Encoding ought to be handled as an error (RFC 9112 §6.3)",
    "framingFieldFolded": "a folded framing field is ambiguous",
    "transferCodingUnsupported": "transfer codings other than `chunked` are not supported (RFC 9112 §7)",
    "transferEncodingInHTTP10": "HTTP/1.0 with Transfer-Encoding has faulty framing (RFC 9112 §6.1)",
    "chunkSizeInvalid": "a chunk size is hexadecimal, and extensions are well-formed (RFC 9112 §7.1)",
    "chunkSizeLineTooLong": "a chunk-size line must not exceed the limit",
    "chunkDataUnterminated": "chunk data ends with CRLF (RFC 9112 §7.1)",
    "unrequestedUpgrade": "a 101 response requires a request with an Upgrade field (RFC 9110 §15.2.2)",
    "cutOff": "a truncated response is incomplete (RFC 9112 §8)",
}

# Apus accepts a response that another parser rejects, or both read it differently.
RULES = {
    "obs-fold": "a user agent replaces obs-fold with spaces (RFC 9112 §5.2)",
    "lone LF": "a lone LF may end a line of the head or the trailers (RFC 9112 §2.2)",
    "blanks behind a size": "white space after a chunk size is skipped",
    "blanks behind a value": "white space around a field value is not part of it (RFC 9112 §5)",
    "identity": "`Transfer-Encoding: identity` is not a transfer coding",
    "no content": "the framing fields of a response without content are ignored (RFC 9112 §6.3)",
    "repeated length": "a repeated equal length is merged into one field (RFC 9110 §8.6)",
    "later minor version": "a later minor version is read as 1.1 (RFC 9110 §2.5)",
    "blanks in extensions": "BWS is allowed around the delimiters of a chunk extension (RFC 9112 §7.1.1)",
    "quoted extension": "a quoted string may contain any text (RFC 9112 §7.1.1)",
    "close in 1xx": "`close` in an informational response does not close the connection (RFC 9112 §9.6)",
    "1xx": "an informational response is not the final one (RFC 9110 §15.2)",
}

# The rules by which the lenient parser accepts responses that the strict one rejects.
LENIENT = {
    "obsoleteFold": "obs-fold",
    "bareLineFeed": "lone LF",
    "chunkSizeInvalid": "blanks behind a size",
    "transferCodingUnsupported": "identity",
}
FRAMING_FAULTS = {
    "contentLengthInvalid", "contentLengthConflict", "lengthWithTransferEncoding", "transferCodingUnsupported",
    "transferEncodingInHTTP10",
}


def explain(peer, case, ours, strict, theirs):
    """Returns the rules by which the verdicts differ: an empty list if they agree, None if no rule applies."""
    if not ours.is_accepted:
        if not theirs.is_accepted:
            return []
        return [f"refused: {ours.error}"] if ours.error in REFUSED else None
    if not theirs.is_accepted:
        rule = lenient(ours, strict) or REFUSALS[peer](case[1], ours, theirs)
        return [rule] if rule else None
    names = set()
    for aspect, differs in differences(ours, theirs).items():
        if differs:
            names.add(READINGS[peer](aspect, case[1], ours, theirs))
    return None if None in names else sorted(names)


def lenient(ours, strict):
    """Returns the rule by which only the lenient parser accepts a response, or None."""
    has_no_content = ours.framing in ("none", "upgraded") or has_informational(ours)
    if has_no_content and strict.error in FRAMING_FAULTS:
        return "no content"
    return LENIENT.get(strict.error)


def differences(ours, theirs):
    """Returns for each aspect of an accepted response whether the verdicts differ, as far as both report it."""
    return {
        "status": ours.status != theirs.status,
        "body": ours.body != theirs.body,
        "end": theirs.end is not None and ours.end != theirs.end,
        "fields": theirs.fields is not None and ours.fields != theirs.fields,
    }


# The rules by which a parser rejects a response that Apus accepts in both modes.


def refused_by_nio(data, ours, theirs):
    if "content-length header" in theirs.error:
        if has_repeated_length(data):
            return "repeated length"
        if re.search(rb"(?im)^content-length:[^\r\n]*[ \t]\r?$", data):
            return "blanks behind a value"
    if "invalid character in chunk size" in theirs.error or "invalid chunk size" in theirs.error.lower():
        return "blanks in extensions"
    if "strict mode" in theirs.error:
        return "quoted extension"
    if "version" in theirs.error.lower():
        return "later minor version"
    if any(code < 200 for code in theirs.codes[-1:]):
        return "close in 1xx"
    return None


def refused_by_python(data, ours, theirs):
    # http.client reads chunks even if the response has no content.
    if ours.framing == "none":
        return "no content"
    # http.client reads unknown informational responses as the final one.
    return "1xx" if has_informational(ours) else None


def refused_by_curl(data, ours, theirs):
    return "later minor version" if re.search(rb"(?m)^HTTP/1\.[2-9] ", data) else None


REFUSALS = {"SwiftNIO": refused_by_nio, "http.client": refused_by_python, "curl": refused_by_curl}


# The rules by which a parser reads an accepted response differently.


def read_by_nio(aspect, data, ours, theirs):
    return None


def read_by_python(aspect, data, ours, theirs):
    if theirs.status != ours.status and theirs.status in ours.codes[:-1]:
        return "1xx"
    # http.client ignores a list of lengths, and reads until the connection is closed.
    if has_repeated_length(data):
        return "repeated length"
    # http.client reads chunks even if the response has no content.
    if aspect in ("body", "end") and ours.framing == "none":
        return "no content"
    if re.search(rb"(?im)^transfer-encoding:[ \t]*chunked[ \t]+\r?$", data):
        return "blanks behind a value"
    return None


def read_by_curl(aspect, data, ours, theirs):
    # curl ignores the length if this coding is present.
    if aspect == "body" and re.search(rb"(?im)^transfer-encoding:[ \t]*identity", data):
        return "identity"
    return None


READINGS = {"SwiftNIO": read_by_nio, "http.client": read_by_python, "curl": read_by_curl}


def has_informational(ours):
    """Returns whether informational responses precede the final one."""
    return any(code < 200 for code in ours.codes[:-1])


def has_repeated_length(data):
    """Returns whether Content-Length is repeated or a list. An unterminated head continues in the second response."""
    if not re.search(rb"\n\r?\n", data):
        data += SECOND
    values = re.findall(rb"(?im)^content-length:[ \t]*([^\r\n]*)", data)
    return len(values) > 1 or any(b"," in value for value in values)


def sentence(name):
    """Returns the description of a rule."""
    return REFUSED.get(name.removeprefix("refused: ")) or RULES[name]
