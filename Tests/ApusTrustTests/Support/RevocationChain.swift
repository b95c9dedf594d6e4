internal import ApusCore
internal import ApusTestSupport
internal import Foundation

@testable internal import ApusTrust

/// A chain of a root, an authority and a server, which name responders.
struct RevocationChain: Sendable {
    static let serverResponder = "http://server.responder.example/"
    static let middleResponder = "http://middle.responder.example/"

    let root = TestAuthority("Root")
    let middle = TestAuthority("Middle")
    let rootCertificate: ParsedCertificate
    let middleCertificate: ParsedCertificate
    let server: ParsedCertificate

    /// - Parameters:
    ///   - responder: The responder that the server's certificate names. `nil` for none.
    ///   - middleResponder: The responder that the authority's certificate names. `nil` for none.
    ///   - change: Changes the server's certificate.
    /// - Throws: An error if a certificate can't be issued.
    init(
        responder: String? = RevocationChain.serverResponder,
        middleResponder: String? = RevocationChain.middleResponder,
        _ change: (inout TestTemplate) throws -> Void = { _ in }
    ) throws {
        rootCertificate = try root.root(Self.last)
        middleCertificate = try root.authority(middle) { template in
            Self.last(&template)
            template.serialNumber = 2
            if let middleResponder { try template.setResponder(middleResponder) }
        }
        server = try middle.server { template in
            Self.last(&template)
            template.serialNumber = 3
            if let responder { try template.setResponder(responder) }
            try change(&template)
        }
    }

    /// Makes a certificate valid at the current time too, which evaluators use.
    static func last(_ template: inout TestTemplate) {
        template.validFrom = -20 * 365 * 86_400
        template.validTo = 20 * 365 * 86_400
    }

    var roots: ServerTrust.Roots { .pem(PEMText.text(of: [rootCertificate.derBytes])) }
    var presented: [[UInt8]] { [server.derBytes, middleCertificate.derBytes] }

    /// Returns the response about the server's certificate.
    func serverResponse(_ response: TestOCSPResponse = TestOCSPResponse()) throws -> [UInt8] {
        try response.bytes(about: server, of: middle, signedBy: middle)
    }

    /// Returns the response about the certificate of the authority.
    func middleResponse(_ response: TestOCSPResponse = TestOCSPResponse()) throws -> [UInt8] {
        try response.bytes(about: middleCertificate, of: root, signedBy: root)
    }

    /// Returns a fetcher that gives these responses, by their responders.
    func fetcher(server: [UInt8]?, middle: [UInt8]?) -> StubFetcher {
        StubFetcher { responder in
            responder.authority.hasPrefix("server.") ? server : middle
        }
    }
}

/// Gives responses of a closure, and records the requests.
final class StubFetcher: RevocationFetcher {
    let requests = LockedList<(responder: TargetURI, bytes: [UInt8])>()
    /// The guard of each request.
    let guards = LockedList<AddressGuard?>()
    private let body: @Sendable (TargetURI) async -> [UInt8]?

    /// - Parameter body: Returns the response of a responder, or `nil` if it can't be reached.
    init(_ body: @escaping @Sendable (TargetURI) async -> [UInt8]?) {
        self.body = body
    }

    func response(
        to request: [UInt8],
        from responder: TargetURI,
        addressGuard: AddressGuard?
    ) async throws(ApusError) -> [UInt8] {
        requests.append((responder, request))
        guards.append(addressGuard)
        guard let response = await body(responder) else { throw ApusError(.connectFailed, "no server listens") }
        return response
    }
}
