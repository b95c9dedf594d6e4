/// The limits of an upload resource, from its `Upload-Limit` field. `nil` for those that the server has not sent.
struct UploadLimits: Hashable, Sendable {
    /// The maximum size of the whole upload in bytes.
    var maximumSize: Int64?
    /// The maximum number of bytes of one request.
    var maximumAppendSize: Int64?
    /// The minimum number of bytes of a request that does not complete the upload.
    var minimumAppendSize: Int64?
    /// The remaining lifetime of the upload resource in seconds.
    var lifetime: Int64?

    init() {}

    /// Parses the field. The result is `nil` if it is no dictionary, or if a known limit is no integer or is negative.
    ///
    /// Unknown limits are ignored. So is the minimum size of an upload: a server that enforces it rejects the request.
    ///
    /// - Parameter text: The value of the field.
    init?(_ text: String) {
        guard let members = StructuredFieldReader.dictionary(text) else { return nil }
        var isValid = true
        func limit(_ key: String) -> Int64? {
            guard let member = members[key] else { return nil }
            guard case .integer(let number) = member, number >= 0 else {
                isValid = false
                return nil
            }
            return number
        }
        maximumSize = limit("max-size")
        maximumAppendSize = limit("max-append-size")
        minimumAppendSize = limit("min-append-size")
        let expiry = limit("expires")
        // The name was changed in draft 06.
        lifetime = limit("max-age") ?? expiry
        _ = limit("min-size")
        guard isValid else { return nil }
    }

    /// Replaces the limits that others have.
    mutating func merge(_ others: UploadLimits) {
        maximumSize = others.maximumSize ?? maximumSize
        maximumAppendSize = others.maximumAppendSize ?? maximumAppendSize
        minimumAppendSize = others.minimumAppendSize ?? minimumAppendSize
        lifetime = others.lifetime ?? lifetime
    }
}
