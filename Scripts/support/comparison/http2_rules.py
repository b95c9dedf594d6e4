"""The rules by which Apus and nghttp may read an HTTP/2 connection differently. Another difference is a finding."""

# From the mildest to the most severe verdict.
KINDS = ["accepted", "stream error", "connection error"]

# nghttp ends the connection with these texts, and Apus does not.
TEXTS = {
    "SETTINGS: unexpected ACK": "an acknowledgement of SETTINGS that was not requested is no error (RFC 9113 §6.5.3)",
    "SETTINGS: invalid SETTINGS_ENABLE_CONNECT_PROTOCOL":
        "a setting that the client does not use is ignored (RFC 9113 §6.5.2)",
    "GOAWAY: invalid last_stream_id": "a GOAWAY with a larger or even last stream is no error (RFC 9113 §6.8)",
    "depend on itself": "priorities are ignored, even if a stream depends on itself (RFC 9113 §5.3.2)",
    "DATA: stream not opened": "a body before its head makes the response malformed (RFC 9113 §8.1.1)",
    "WINDOW_UPDATE: window_size_increment == 0":
        "an increment of 0 for a stream is an error of the stream (RFC 9113 §6.9)",
}
RULES = {
    "extension frame": "frames of an unknown type are ignored, with any content (RFC 9113 §5.5)",
    "TE": "a TE field in a response has no meaning, and is no error (RFC 9110 §10.1.4)",
    "length without content": "the length in a 1xx or 204 response is ignored (RFC 9110 §8.6)",
    "repeated length": "a repeated equal length is one length (RFC 9110 §8.6)",
    "length of a 304": "the length in a 304 is that of a response with content, and may be of any size (RFC 9110 §8.6)",
    "status": ":status has three digits (RFC 9113 §8.3.2)",
    "body before a head": "a body before its head makes the response malformed, even an empty one (RFC 9113 §8.1.1)",
    "padding": "padding longer than the frame is an error of the connection in every state (RFC 9113 §6.1)",
    "repeated setting": "each value of a repeated setting is checked (RFC 9113 §6.5.2)",
    "frame size": "a frame above the maximum is an error as soon as its header has arrived (RFC 9113 §4.2)",
    "PUSH_PROMISE": "push is forbidden for the first request too, as SETTINGS precede it (RFC 9113 §8.4)",
}
# Apus rejects a connection with a reason that begins like this, and nghttp accepts it or reports a milder error.
REASONS = {
    "The server sent a PUSH_PROMISE": "PUSH_PROMISE",
    "The :status of the response is not": "status",
    "The content of the response precedes its head": "body before a head",
    "The server sent a DATA frame with padding": "padding",
    "The server set ": "repeated setting",
    "The server sent a frame of": "frame size",
}
FRAME_SIZE_ERROR = 6
EXTENSIONS = (0xA, 0xC)


def explain(case, theirs):
    """Returns the rule for a difference, an empty text if there is none, or None if no rule applies."""
    ours = case["verdict"]
    if ours == theirs.kind:
        has_same_body = case["end"] != "complete" or bytes.fromhex(case["body"]) == theirs.body
        return "" if has_same_body or ours != "accepted" else None
    if KINDS.index(ours) < KINDS.index(theirs.kind):
        return refusal(case, theirs)
    return next((rule for start, rule in REASONS.items() if case["reason"].startswith(start)), None)


def refusal(case, theirs):
    """Returns the rule by which nghttp rejects a connection that Apus accepts, or ends it earlier."""
    if theirs.kind == "connection error":
        if theirs.reason in TEXTS:
            return theirs.reason
        types = {frame[3] for frame in frames(bytes.fromhex(case["bytes"]))}
        if theirs.code == FRAME_SIZE_ERROR and types.intersection(EXTENSIONS):
            return "extension frame"
        return None
    for lines in case["blocks"]:
        lengths = [line for line in lines if line.startswith("content-length:")]
        if any(line.startswith("te:") for line in lines):
            return "TE"
        if len(lengths) > 1 or any("," in line for line in lengths):
            return "repeated length"
        has_no_content = any(line.startswith(":status: 1") or line == ":status: 204" for line in lines)
        if lengths and has_no_content:
            return "length without content"
        if lengths and ":status: 304" in lines:
            return "length of a 304"
    return None


def frames(data):
    """Returns the frames in the bytes of a server. The last one may be incomplete."""
    found = []
    while len(data) >= 9:
        length = 9 + int.from_bytes(data[:3], "big")
        found.append(data[:length])
        data = data[length:]
    return found


def sentence(name):
    """Returns the description of a rule."""
    return TEXTS.get(name) or RULES[name]
