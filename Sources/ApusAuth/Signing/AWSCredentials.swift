internal import ApusCore

/// The credentials that sign requests to Amazon Web Services.
public struct AWSCredentials: Sendable, Hashable {
    /// The access key ID, which is sent with each request.
    public var accessKey: String
    /// The secret access key, which is never sent.
    public var secretKey: String
    /// The session token of temporary credentials.
    public var sessionToken: String?

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKey: The access key ID, which is sent with each request.
    ///   - secretKey: The secret access key, which is never sent.
    ///   - sessionToken: The session token of temporary credentials. Default: `nil`.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder that reveals neither key.
    public var description: String { "AWS keys \(Redaction.mark)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
