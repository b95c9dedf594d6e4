internal import ApusCore

/// What requests to Amazon's services are signed with.
public struct AWSCredentials: Sendable, Hashable {
    /// The public part.
    public var accessKey: String
    /// The secret part, which is never sent.
    public var secretKey: String
    /// What temporary keys come with.
    public var sessionToken: String?

    /// Makes credentials.
    ///
    /// - Parameters:
    ///   - accessKey: The public part.
    ///   - secretKey: The secret part, which is never sent.
    ///   - sessionToken: What temporary keys come with; nothing by default.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Neither key.
    public var description: String { "AWS keys \(Redaction.mark)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
