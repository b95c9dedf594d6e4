extension AFSecurityPolicy: Codable {
    /// Reads an archived policy.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another version or checksum, and for invalid or
    ///   unknown settings.
    public init(from decoder: any Decoder) throws {
        let archived: ArchivedPolicy = try ArchivedDocument.content(of: .securityPolicy, from: decoder)
        self = archived.policy
    }

    /// Archives the policy, with its format, its version and a checksum.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedDocument.write(ArchivedPolicy(self), of: .securityPolicy, to: encoder)
    }
}
