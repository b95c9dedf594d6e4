public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// The members of Foundation's `URLRequest` that modifiers, adapters and routers use most.
extension RequestMessage {
    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method.
    ///   - headers: The fields. Default: none.
    /// - Throws: `ApusError` with the code `invalidURL` or `invalidField`, or the error that `url` throws.
    public init(url: some URLConvertible, method: HTTPRequest.Method, headers: RequestFields? = nil) throws {
        try self.init(url, method: method, fields: headers ?? [:])
    }

    /// The URL of the request. `nil` if Foundation can't parse it. To change it, set `target`.
    public var url: URL? { target.url }

    /// The fields. A field that fails its check is not set, and the request then fails with the code `invalidField`
    /// before it is sent.
    public var headers: RequestFields {
        get { RequestFields(fields) }
        set {
            fields = newValue.fields
            if let error = newValue.fault { options[RejectedField.self] = RejectedField(error) }
        }
    }

    /// Sets a field. It replaces all fields with its name.
    ///
    /// - Parameters:
    ///   - value: The value. `nil` removes the field.
    ///   - field: The name, in any case. If the name or the value is invalid, the request fails with the code
    ///     `invalidField` before it is sent.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        headers[field] = value
    }

    /// Appends a field, even if there is one with its name.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - field: The name, in any case. If the name or the value is invalid, the request fails with the code
    ///     `invalidField` before it is sent.
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        headers.append(RequestField(name: field, value: value))
    }

    /// Returns the value of the fields with a name. Several are joined by commas. `nil` if there is none.
    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// The body, if it is in memory. `nil` if there is none, and for a file or a stream. No content type is set.
    public var httpBody: Data? {
        get { body.bytesInMemory.map { Data($0) } }
        set { body = newValue.map { RequestBody.bytes($0) } ?? RequestBody.none }
    }

    /// The time in seconds without progress after which the request fails: `idleRead` and `idleWrite` of the option
    /// `RequestTimeouts`. Default: 60.
    ///
    /// A request without timeouts of its own has those of its session, which this property does not show. With a number
    /// that is not positive, it has those of the session again. Infinity, or more than 1e9, is no limit.
    public var timeoutInterval: TimeInterval {
        get {
            switch options[RequestTimeouts.self]?.idleRead {
            case nil: 60
            case .unlimited?: .infinity
            case .after(let duration)?: duration / Duration.seconds(1)
            }
        }
        set {
            guard newValue > 0 else { return options.setIdleTimeout(nil) }
            options.setIdleTimeout(newValue > 1e9 ? .unlimited : .after(Duration(interval: newValue)))
        }
    }

    /// Whether the request sends and stores cookies: `false` is the option `CookieHandling.off`. Default: `true`.
    ///
    /// `true` does not switch on cookies if they are off in the session.
    public var httpShouldHandleCookies: Bool {
        get { if case .off? = options[CookieHandling.self] { false } else { true } }
        set {
            guard newValue != httpShouldHandleCookies else { return }
            options[CookieHandling.self] = newValue ? nil : CookieHandling.off
        }
    }
}
