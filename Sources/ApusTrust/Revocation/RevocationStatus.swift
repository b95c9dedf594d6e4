package import Foundation

/// The status of a certificate, as far as it could be learned.
package enum RevocationStatus: Sendable, Hashable {
    /// A responder vouches for it.
    case good
    /// Its authority has revoked it, at this time.
    case revoked(on: Date)
    /// The text says why it could not be learned.
    case unknown(String)
    /// It names no responder that can be asked.
    case noResponder

    /// Whether its authority has signed it.
    var isSigned: Bool {
        switch self {
        case .good, .revoked: true
        case .unknown, .noResponder: false
        }
    }
}
