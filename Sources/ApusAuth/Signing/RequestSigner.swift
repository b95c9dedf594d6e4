public import ApusCore
public import Foundation

/// Signs requests: adds what proves who sent them, and that nobody changed them on the way.
///
/// `RequestSigning` brings it into a session. `AWSSignatureV4` is one.
///
/// ```swift
/// struct Sealer: RequestSigner {
///     func sign(_ request: inout RequestMessage, contentHash: String?, at date: Date) async throws {
///         try request.fields.append(checking: "X-Seal", "\(request.method) \(contentHash ?? "unknown")")
///     }
/// }
/// ```
public protocol RequestSigner: Sendable {
    /// Whether the content of a request is read ahead of sending it, for its hash. Yes, by default.
    func hashesContent(of request: RequestMessage) -> Bool

    /// Signs a request: method, target and fields are as they will be sent, but for `Host`, which is the target's authority
    /// where the request has no such field, and the fields that frame the content.
    ///
    /// - Parameters:
    ///   - request: The request. Its content has been hashed, and is not to be changed.
    ///   - contentHash: The SHA-256 of its content, in small hexadecimal digits; `nil` where it was not asked for, or the
    ///     content can be read once only.
    ///   - date: Now, by the clock of the session.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `middlewareFailed`.
    func sign(_ request: inout RequestMessage, contentHash: String?, at date: Date) async throws
}

extension RequestSigner {
    public func hashesContent(of request: RequestMessage) -> Bool { true }
}

/// Has the requests of a session signed, each time that one goes over the wire.
///
/// It belongs at the end of the session's `networkMiddleware`, so that nothing changes behind it.
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

    /// Signs the requests to some origins, wherever a redirect leads.
    ///
    /// - Parameters:
    ///   - signer: What signs.
    ///   - signs: Whether requests to an origin are signed. Others go out as they are.
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
