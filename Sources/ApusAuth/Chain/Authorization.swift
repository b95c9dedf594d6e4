internal import ApusCore
internal import HTTPTypes

/// The proof of identity that is added to a request.
struct Authorization: Sendable {
    enum Proof: Sendable {
        /// The same for every request: Basic and Bearer.
        case field(HTTPField)
        /// Different for every request.
        case digest(DigestTicket)
    }

    let space: ProtectionSpace
    let credential: Credential
    let proof: Proof
    /// Whether it was made for a challenge to this request, rather than reused from an earlier one.
    let isFresh: Bool

    /// Adds the proof to a request.
    func apply(to request: inout RequestMessage) async throws(ApusError) {
        switch proof {
        case .field(let field):
            request.fields.append(field)
        case .digest(let ticket):
            var hash: String?
            if ticket.challenge.quality == .authInt {
                let function = ticket.challenge.algorithm.function
                hash = try await request.body.hash(function, for: "Digest with auth-int").hexadecimal
            }
            let value = ticket.authorization(
                method: request.method.rawValue,
                target: request.target.path,
                contentHash: hash
            )
            request.fields.append(try HTTPField(name: .authorization, checking: value))
        }
    }
}
