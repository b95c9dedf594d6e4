package import HTTPTypes

/// The head of a response, whichever version of HTTP carried it.
package struct ReceivedHead: Sendable {
    /// The status code and, from HTTP/1.1, the reason phrase as received.
    package var status: HTTPResponse.Status
    /// The fields in the order received, with their names as spelled on the wire.
    package var fields: HTTPFields
    /// Whether no field requires further processing: the response has no content coding and sets no cookie.
    package var isPlain: Bool
    /// The size of the header block, over HTTP/2.
    var blockBytes = 0

    /// Creates a head.
    package init(status: HTTPResponse.Status, fields: HTTPFields, isPlain: Bool) {
        self.status = status
        self.fields = fields
        self.isPlain = isPlain
    }
}
