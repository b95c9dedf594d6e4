"""Why two parsers may read a response differently. A difference that no rule here names is a finding."""

import re

# Apus refuses what another parser accepts: refusing never takes a byte of one response for another's.
REFUSED = {
    "statusLineInvalid": "the status line is not `HTTP/1.x SP 3DIGIT`, or an empty line precedes it (RFC 9112 §4, §2.2)",
    "versionUnsupported": "the version is not HTTP/1.x (RFC 9112 §2.3)",
    "fieldNameInvalid": "a field line has no token ahead of its colon (RFC 9112 §5.1)",
    "fieldValueInvalid": "a field value holds a control character (RFC 9110 §5.5)",
    "whiteSpaceAheadOfFields": "white space ahead of the first field is rejected (RFC 9112 §2.2)",
    "bareLineFeed": "a lone LF ends no line of the framing of chunks (RFC 9112 §7.1)",
    "bareCarriageReturn": "a CR that no LF follows is invalid (RFC 9112 §2.2)",
    "contentLengthInvalid": "an invalid Content-Length is an error (RFC 9112 §6.3)",
    "contentLengthConflict": "different lengths are an error (RFC 9112 §6.3)",
    "lengthWithTransferEncoding": "a length beside chunks ought to be handled as an error (RFC 9112 §6.3)",
    "framingFieldFolded": "a folded field that frames the response could be read in two ways",
    "transferCodingUnsupported": "any list of transfer codings but `chunked` alone is refused (RFC 9112 §7)",
    "transferEncodingInHTTP10": "HTTP/1.0 with Transfer-Encoding is faulty framing (RFC 9112 §6.1)",
    "chunkSizeInvalid": "a chunk size is hexadecimal, and extensions are well formed (RFC 9112 §7.1)",
    "chunkSizeLineTooLong": "a chunk-size line is longer than the limit",
    "chunkDataUnterminated": "CRLF ends the data of a chunk (RFC 9112 §7.1)",
    "upgradeNotAsked": "a 101 that was not asked for is an error (RFC 9110 §15.2.2)",
    "cutOff": "a response that is cut off is incomplete (RFC 9112 §8)",
}

# Apus accepts what another parser refuses, or both read it differently.
RULES = {
    "obs-fold": "a user agent replaces obs-fold by spaces (RFC 9112 §5.2)",
    "lone LF": "a lone LF may end a line of the head and of the trailers (RFC 9112 §2.2)",
    "blanks behind a chunk size": "white space behind a chunk size is skipped",
    "identity": "`Transfer-Encoding: identity` is no transfer coding",
    "framing without content": "framing fields of a response without content are not judged (RFC 9112 §6.3)",
    "repeated length": "the same length repeated is one length (RFC 9110 §8.6)",
    "later minor version": "a later minor version is read as 1.1 (RFC 9110 §2.5)",
    "white space around extensions": "BWS may stand around a chunk extension's marks (RFC 9112 §7.1.1)",
    "quoted extension": "a quoted string may hold any text (RFC 9112 §7.1.1)",
    "close in 1xx": "`close` in an informational response ends nothing yet (RFC 9112 §9.6)",
}


def has_lenient_reason(strict):
    """The rule by which the lenient parser accepts a response that the strict one refuses."""
    kind = error_kind(strict)
    return {
        "obsoleteFold": "obs-fold",
        "bareLineFeed": "lone LF",
        "chunkSizeInvalid": "blanks behind a chunk size",
        "transferCodingUnsupported": "identity",
    }.get(kind)


def error_kind(verdict):
    return re.match(r"\w+", verdict.error).group() if verdict.error else None


def explain(peer, case, ours, strict, theirs):
    """The names of the rules by which the verdicts differ: none where they agree, None where no rule is found."""
    method, data = case
    if not ours.is_accepted:
        if not theirs.is_accepted:
            return []
        kind = error_kind(ours)
        return [f"refused: {kind}"] if kind in REFUSED else None
    return PEERS[peer](method, data, ours, strict, theirs)


def of_nio(method, data, ours, strict, theirs):
    return None


def of_python(method, data, ours, strict, theirs):
    return None


def of_curl(method, data, ours, strict, theirs):
    return None


PEERS = {"SwiftNIO": of_nio, "http.client": of_python, "curl": of_curl}


def same(ours, theirs, method="GET"):
    """Whether two readings of an accepted response are the same, as far as both tell."""
    return (
        theirs.is_accepted
        and ours.status == theirs.status
        and ours.body == theirs.body
        and (theirs.end is None or ours.end == theirs.end)
        and (theirs.fields is None or ours.fields == theirs.fields)
    )


def sentence(name):
    """The rule in a sentence."""
    return REFUSED.get(name.removeprefix("refused: ")) or RULES[name]
