"""Why two parsers may read a response differently. A difference that no rule here names is a finding."""

import re

from .cases import SECOND

# Apus refuses a response that another parser accepts: that never takes a byte of one response for another's.
REFUSED = {
    "statusLineInvalid": "a status line is `HTTP/1.x SP 3DIGIT`, and nothing precedes it (RFC 9112 §4, §2.2)",
    "versionUnsupported": "the version is not HTTP/1.x (RFC 9112 §2.3)",
    "fieldNameInvalid": "a field line has a token ahead of its colon (RFC 9112 §5.1)",
    "fieldValueInvalid": "a field value holds no control character (RFC 9110 §5.5)",
    "whiteSpaceAheadOfFields": "white space ahead of the first field is rejected (RFC 9112 §2.2)",
    "bareLineFeed": "a lone LF ends no line in the framing of chunks (RFC 9112 §7.1)",
    "bareCarriageReturn": "a CR that no LF follows is invalid (RFC 9112 §2.2)",
    "contentLengthInvalid": "an invalid Content-Length is an error (RFC 9112 §6.3)",
    "contentLengthConflict": "different lengths are an error (RFC 9112 §6.3)",
    "lengthWithTransferEncoding": "a length beside chunks ought to be handled as an error (RFC 9112 §6.3)",
    "framingFieldFolded": "a folded field that frames the response could be read in two ways",
    "transferCodingUnsupported": "a list of transfer codings other than `chunked` alone is refused (RFC 9112 §7)",
    "transferEncodingInHTTP10": "HTTP/1.0 with Transfer-Encoding is faulty framing (RFC 9112 §6.1)",
    "chunkSizeInvalid": "a chunk size is hexadecimal, and extensions are well formed (RFC 9112 §7.1)",
    "chunkSizeLineTooLong": "a chunk-size line is not longer than the limit",
    "chunkDataUnterminated": "CRLF ends the data of a chunk (RFC 9112 §7.1)",
    "upgradeNotAsked": "a 101 answers a request with an Upgrade field (RFC 9110 §15.2.2)",
    "cutOff": "a response that is cut off is incomplete (RFC 9112 §8)",
}

# Apus accepts a response that another parser refuses, or both read it differently.
RULES = {
    "obs-fold": "a user agent replaces obs-fold by spaces (RFC 9112 §5.2)",
    "lone LF": "a lone LF may end a line of the head and of the trailers (RFC 9112 §2.2)",
    "blanks behind a size": "white space behind a chunk size is skipped",
    "blanks behind a value": "white space around a field value is no part of it (RFC 9112 §5)",
    "identity": "`Transfer-Encoding: identity` is no transfer coding",
    "no content": "the framing fields of a response without content are not judged (RFC 9112 §6.3)",
    "repeated length": "the same length repeated is one length, of which one field is kept (RFC 9110 §8.6)",
    "later minor version": "a later minor version is read as 1.1 (RFC 9110 §2.5)",
    "blanks in extensions": "BWS may stand around the marks of a chunk extension (RFC 9112 §7.1.1)",
    "quoted extension": "a quoted string may hold any text (RFC 9112 §7.1.1)",
    "close in 1xx": "`close` in an informational response ends nothing yet (RFC 9112 §9.6)",
    "1xx": "an informational response is not the final one (RFC 9110 §15.2)",
}

# By which rule the lenient parser accepts a response that the strict one refuses.
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
    """The names of the rules by which the verdicts differ: none where they agree, None where no rule is found."""
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
    """The rule by which only the lenient parser accepts a response."""
    has_no_content = ours.framing in ("none", "upgraded") or has_informational(ours)
    if has_no_content and strict.error in FRAMING_FAULTS:
        return "no content"
    return LENIENT.get(strict.error)


def differences(ours, theirs):
    """In what the readings of an accepted response differ, as far as both tell."""
    return {
        "status": ours.status != theirs.status,
        "body": ours.body != theirs.body,
        "end": theirs.end is not None and ours.end != theirs.end,
        "fields": theirs.fields is not None and ours.fields != theirs.fields,
    }


# Why a parser refuses a response that Apus accepts in both modes.


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
    # It looks for the chunks of a response that has no content.
    if ours.framing == "none":
        return "no content"
    # It takes those that it does not know for the final one.
    return "1xx" if has_informational(ours) else None


def refused_by_curl(data, ours, theirs):
    return "later minor version" if re.search(rb"(?m)^HTTP/1\.[2-9] ", data) else None


REFUSALS = {"SwiftNIO": refused_by_nio, "http.client": refused_by_python, "curl": refused_by_curl}


# Why a parser reads a response differently that both accept.


def read_by_nio(aspect, data, ours, theirs):
    return None


def read_by_python(aspect, data, ours, theirs):
    if theirs.status != ours.status and theirs.status in ours.codes[:-1]:
        return "1xx"
    # It takes a list of lengths for none, and reads to the end of the connection.
    if has_repeated_length(data):
        return "repeated length"
    # It reads the chunks of a response that has no content.
    if aspect in ("body", "end") and ours.framing == "none":
        return "no content"
    if re.search(rb"(?im)^transfer-encoding:[ \t]*chunked[ \t]+\r?$", data):
        return "blanks behind a value"
    return None


def read_by_curl(aspect, data, ours, theirs):
    # With that coding it goes by no length.
    if aspect == "body" and re.search(rb"(?im)^transfer-encoding:[ \t]*identity", data):
        return "identity"
    return None


READINGS = {"SwiftNIO": read_by_nio, "http.client": read_by_python, "curl": read_by_curl}


def has_informational(ours):
    """Whether informational responses stand ahead of the final one."""
    return any(code < 200 for code in ours.codes[:-1])


def has_repeated_length(data):
    """Whether Content-Length stands there twice, or is a list; a head without an end goes on in the second response."""
    if not re.search(rb"\n\r?\n", data):
        data += SECOND
    values = re.findall(rb"(?im)^content-length:[ \t]*([^\r\n]*)", data)
    return len(values) > 1 or any(b"," in value for value in values)


def sentence(name):
    """The rule in a sentence."""
    return REFUSED.get(name.removeprefix("refused: ")) or RULES[name]
