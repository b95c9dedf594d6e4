internal import ApusEngine
internal import HTTPTypes
internal import NIOCore

/// The arguments of the request encoder. The defaults are valid.
struct HTTP2MessageRequest {
    var method = HTTPRequest.Method.get
    var scheme = "https"
    var authority = "h"
    var path = "/"
    var fields = HTTPFields()
    var framing = RequestFraming.none

    func encode(with encoder: inout HPACKEncoder, into buffer: inout ByteBuffer) throws(RequestEncodeError) {
        try HTTP2RequestEncoder.encode(
            method: method,
            scheme: scheme,
            authority: authority,
            path: path,
            fields: fields,
            framing: framing,
            with: &encoder,
            into: &buffer
        )
    }

    /// Encodes the request as the first one of a connection.
    func encoded() throws -> HTTP2MessageBlock {
        var encoder = HPACKEncoder()
        var buffer = ByteBuffer()
        try encode(with: &encoder, into: &buffer)
        var decoder = HPACKDecoder()
        return try HTTP2MessageBlock(buffer, by: &decoder)
    }
}

extension HTTPFields {
    /// Creates fields from names and values, and leaves out those with names that are no tokens.
    ///
    /// The values may begin and end with blanks and contain all control characters except CR, LF and NUL.
    static func lenient(_ lines: [(name: String, value: String)]) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let name = HTTPField.Name(line.name) else { continue }
            fields.append(HTTPField(name: name, lenientValue: Array(line.value.utf8)))
        }
        return fields
    }
}
