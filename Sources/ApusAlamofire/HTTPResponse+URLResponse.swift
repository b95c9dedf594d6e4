public import Apus
public import HTTPTypes

/// The members of Foundation's `HTTPURLResponse` that are used most.
extension HTTPResponse {
    /// The status as a number.
    public var statusCode: Int { status.code }

    /// The fields.
    public var headers: RequestFields { RequestFields(headerFields) }

    /// Returns the value of the fields with a name. Several are joined by commas. `nil` if there is none.
    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }
}
