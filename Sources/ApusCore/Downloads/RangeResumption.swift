package import HTTPTypes

/// Decides how a download continues after an interruption. It has no file and sends nothing.
///
/// ```
///   206, the same representation     the rest: continues
///   200, 203 and others with a body  the whole: replaces
///   206 of another kind, 416         no use: restarts
///   204, 205, 3xx, 4xx, 5xx          an error, or no content: unrelated
/// ```
///
/// See RFC 9110 §13.1.5 (If-Range), §14 (ranges) and §15.3.7 (206),
/// https://www.rfc-editor.org/rfc/rfc9110.html#section-14
package struct RangeResumption: Hashable, Sendable {
    /// The number of bytes that have arrived, from the first one on. A request has a range only if there are any, or if
    /// the file is fetched in segments.
    package var offset: Int64
    /// The validator of the representation that they belong to. `nil` if it has no strong one.
    package var validator: EntityValidator?
    /// The length of that representation in bytes. `nil` if it is unknown.
    package var total: Int64?
    /// Whether the file is fetched in segments, so that a range is requested even if it begins at the first byte.
    package var isSegmented: Bool

    /// - Parameters:
    ///   - offset: The number of bytes that have arrived.
    ///   - validator: The validator of the representation that they belong to.
    ///   - total: The length of that representation in bytes.
    ///   - isSegmented: Whether the file is fetched in segments. Default: `false`.
    package init(offset: Int64, validator: EntityValidator?, total: Int64?, isSegmented: Bool = false) {
        self.offset = offset
        self.validator = validator
        self.total = total
        self.isSegmented = isSegmented
    }

    /// The beginning of a file that may be fetched in segments.
    static let inSegments = RangeResumption(offset: 0, validator: nil, total: nil, isSegmented: true)

    /// Whether nothing has arrived that the body would have to belong to.
    var isFresh: Bool { offset == 0 && validator == nil }

    private var requestsRange: Bool { offset > 0 || isSegmented }

    /// The first byte that is requested.
    ///
    /// If everything has arrived, the last byte is requested again: a range without a byte would be refused with 416,
    /// and the head of such a response does not show whether the representation is still the same.
    package var firstByte: Int64 { offset > 0 && offset == total ? offset - 1 : offset }

    /// Requests the rest of the representation, by the fields `Range` and `If-Range`. Without bytes that have arrived,
    /// it changes nothing, unless the file is fetched in segments.
    ///
    /// Fields of these names are replaced, and without a validator there is no `If-Range`. `Accept-Encoding` becomes
    /// `identity` unless the user has set it, since the range must be one of the stored bytes.
    ///
    /// - Parameter fields: The fields of the request.
    package func prepare(_ fields: inout HTTPFields) {
        guard requestsRange else { return }
        fields[.range] = "bytes=\(firstByte)-"
        fields[.ifRange] = validator?.text
        if !fields.has(.acceptEncoding) { fields[.acceptEncoding] = "identity" }
    }

    /// The use of a response.
    package enum Verdict: Hashable, Sendable {
        /// The body continues the file at this byte, which is `firstByte`. The total is `nil` if it is still unknown.
        ///
        /// The body may end before the representation does, since a server may send less than the requested range. The
        /// file then has fewer bytes than `total`, and is continued by a further request.
        case continues(at: Int64, total: Int64?)
        /// The body is the whole representation: the file begins anew.
        case replaces
        /// The response is of no use. The request is sent again without a range.
        case restarts
        /// Another status, for example that of an error: nothing is written.
        case unrelated
    }

    /// Returns the use of a response to the request that `prepare` has changed.
    ///
    /// Without bytes that have arrived, and without segments, no range was requested here. A 206 is then the response
    /// to a range of the user's own, so it is written like a whole body, and a 416 is an error like any other. No such
    /// response restarts, since the same request would be sent again.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - fields: The fields of the response.
    /// - Returns: The verdict.
    package func verdict(on status: HTTPResponse.Status, _ fields: HTTPFields) -> Verdict {
        switch status.code {
        case 204, 205: .unrelated
        case 206 where requestsRange: verdict(onPart: fields)
        case 200..<300: .replaces
        case 416 where requestsRange: .restarts
        default: .unrelated
        }
    }

    private func verdict(onPart fields: HTTPFields) -> Verdict {
        let ranges = fields[values: .contentRange]
        guard !Self.isCoded(fields), !Self.isMultipart(fields), ranges.count == 1,
            let range = ContentRange(ranges[0]), let bounds = range.bounds, bounds.lowerBound == firstByte
        else { return .restarts }
        if isFresh { return verdict(onFirst: range, fields) }
        if let total, range.total ?? total != total || bounds.upperBound >= total { return .restarts }
        guard isSameRepresentation(fields) else { return .restarts }
        return .continues(at: firstByte, total: range.total ?? total)
    }

    /// Returns the use of the first response to a file in segments. Without a strong validator, the rest of a body that
    /// ends early can't be requested.
    private func verdict(onFirst range: ContentRange, _ fields: HTTPFields) -> Verdict {
        guard let total = range.total, let last = range.bounds?.upperBound,
            last == total - 1 || EntityValidator(in: fields) != nil
        else { return .restarts }
        return .continues(at: 0, total: total)
    }

    private func isSameRepresentation(_ fields: HTTPFields) -> Bool {
        // Without a validator of its own, the part may be one of a representation that had another.
        guard let validator else { return EntityValidator(in: fields) == nil }
        return !validator.isContradicted(by: fields)
    }

    /// Returns the position after the last byte of a partial response. `nil` if it has no valid range.
    static func end(of fields: HTTPFields) -> Int64? {
        fields[.contentRange].flatMap { ContentRange($0) }?.bounds.map { $0.upperBound + 1 }
    }

    /// Returns whether the body has a content coding, so that its range is not one of the stored bytes.
    static func isCoded(_ fields: HTTPFields) -> Bool {
        guard let codings = fields[.contentEncoding] else { return false }
        return !codings.split(separator: ",").map(\.trimmed)
            .allSatisfy { $0.isEmpty || $0.lowercased() == "identity" }
    }

    /// Returns whether the body has several ranges, each with a head of its own.
    private static func isMultipart(_ fields: HTTPFields) -> Bool {
        guard let type = fields[.contentType].flatMap({ MediaType($0) }) else { return false }
        return type.type == "multipart" && type.subtype == "byteranges"
    }
}
