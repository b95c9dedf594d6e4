package import ApusCore

/// Finds the roots in which a path may end.
///
/// A root is found by the bytes of its name, so that a store with many roots parses only those that may fit.
package protocol AnchorSource: Sendable {
    /// Returns the roots with this subject. Several roots can have the same name.
    ///
    /// - Parameter subject: The name in DER, as it is encoded in the certificates that name it as their issuer.
    /// - Returns: The roots, made by `ParsedCertificate(derBytes:)`. One that can't be parsed is left out.
    /// - Throws: `invalidConfiguration` if the roots can't be read.
    func anchors(named subject: [UInt8]) throws(ApusError) -> [ParsedCertificate]

    /// Looks for a certificate among the roots, byte for byte.
    ///
    /// - Parameter certificate: The certificate in DER.
    /// - Returns: Whether it is a root.
    /// - Throws: `invalidConfiguration` if the roots can't be read.
    func contains(_ certificate: [UInt8]) throws(ApusError) -> Bool
}
