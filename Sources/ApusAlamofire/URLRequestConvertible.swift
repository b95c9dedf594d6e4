public import Apus

/// A type that builds requests, such as a router. It can be used wherever a `RequestConvertible` can.
///
/// ```swift
/// enum Router: URLRequestConvertible {
///     case user(id: Int)
///
///     func asURLRequest() throws -> RequestMessage {
///         switch self {
///         case .user(let id):
///             try RequestMessage(url: "https://api.example.org/users/\(id)", method: .get)
///         }
///     }
/// }
/// ```
///
/// A handle builds the request anew for each attempt.
public protocol URLRequestConvertible: RequestConvertible {
    /// Builds the request.
    ///
    /// - Returns: The request.
    /// - Throws: The reason why there is no request. The request fails with it.
    func asURLRequest() throws -> RequestMessage
}

extension URLRequestConvertible {
    /// Builds the request with `asURLRequest()`.
    public func asRequest() throws -> RequestMessage { try asURLRequest() }

    /// The request. `nil` if it can't be built.
    public var urlRequest: RequestMessage? { try? asURLRequest() }
}

extension RequestMessage: URLRequestConvertible {
    /// Returns the message itself.
    public func asURLRequest() throws -> RequestMessage { self }
}
