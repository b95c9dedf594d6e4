public import ApusCore
internal import ApusEngine

extension ClientIdentity {
    /// Checks the identity before it is used: parses the certificates, decrypts the key, and compares it with the client's
    /// certificate, which must be valid now.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration`, which names the file. Requests with the identity would
    ///   fail with the same error.
    public func check() throws(ApusError) { try parse() }
}
