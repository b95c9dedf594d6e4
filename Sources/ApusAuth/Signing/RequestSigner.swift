public import ApusCore
public import Foundation

/// Signs requests, which proves the sender's identity and that the request was not changed in transit.
///
/// Add it to a session with `RequestSigning`. `AWSSignatureV4` is an implementation.
///
/// ```swift
/// struct Sealer: RequestSigner {
///     func sign(_ request: inout RequestMessage, contentHash: String?, at date: Date) async throws {
///         try request.fields.append(checking: "X-Seal", "\(request.method) \(contentHash ?? "unknown")")
///     }
/// }
/// ```
public protocol RequestSigner: Sendable {
    /// Returns whether the body of a request is read before it is sent, to compute its hash. Default: `true`.
    func hashesContent(of request: RequestMessage) -> Bool

    /// Signs a request. The method, target and fields are as they will be sent, with two exceptions: a missing `Host`
    /// field is added later with the target's authority, and so are the fields that frame the body.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is already hashed and must not be changed.
    ///   - contentHash: The SHA-256 of the body in lowercase hexadecimal. `nil` if no hash was requested or the body
    ///     can be read only once.
    ///   - date: The current time of the session's clock.
    /// - Throws: Any error. Unless it is an `ApusError`, it is wrapped in one with the code `middlewareFailed`.
    func sign(_ request: inout RequestMessage, contentHash: String?, at date: Date) async throws
}

extension RequestSigner {
    public func hashesContent(of request: RequestMessage) -> Bool { true }
}

/// Signs the requests of a session, each time one is sent over the network.
///
/// Place it last in the session's `networkMiddleware`, so that nothing changes a request after it was signed.
///
/// ```swift
/// let keys = AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "secret")
/// let signer = AWSSignatureV4(keys, region: "eu-west-1", service: "s3")
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [
///     RequestSigning(signer) { $0.scheme == .https && $0.host.hasSuffix(".s3.eu-west-1.amazonaws.com") }
/// ]
/// ```
public struct RequestSigning: Middleware {
    private let signer: any RequestSigner
    private let signs: @Sendable (Origin) -> Bool

    /// Signs the requests to matching origins, including requests that follow a redirect.
    ///
    /// - Parameters:
    ///   - signer: The signer.
    ///   - signs: Returns whether requests to an origin are signed. Other requests are sent unchanged.
    public init(_ signer: some RequestSigner, where signs: @escaping @Sendable (Origin) -> Bool) {
        self.signer = signer
        self.signs = signs
    }

    /// Signs the requests to one origin.
    public init(_ signer: some RequestSigner, for origin: Origin) {
        self.init(signer) { $0 == origin }
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard signs(request.target.origin) else { return try await next(request, context: context) }
        var signed = request
        var hash: String?
        if !signed.body.isReadOnce, signer.hashesContent(of: signed) {
            hash = try await signed.body.hash(.sha256, for: "its signature").hexadecimal
        }
        try await signer.sign(&signed, contentHash: hash, at: context.time.wallClock)
        return try await next(signed, context: context)
    }
}
