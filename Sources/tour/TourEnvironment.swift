internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation

/// The environment of the tour: three servers in this process, and the session that most stops share.
struct TourEnvironment: Sendable {
    /// A server with the standard endpoints.
    let server: TestServer
    /// The standard endpoints over TLS, with a certificate of the test authority.
    let secureServer: TestServer
    /// Another origin, with additional endpoints for the tour.
    let otherServer: TestServer
    let session: Session
    /// The protected endpoints of the other server.
    let service: Service
    /// Records the exchanges of the sessions of `withSession`.
    let recorder: HARRecorder
    /// The number of pieces that `/measured` has generated.
    let piecesMade: Counter
    /// A folder for files. Removed after the tour.
    let folder: URL
    /// The output for progress during a stop.
    let screen: Screen

    static func open(_ screen: Screen) async throws -> TourEnvironment {
        let pieces = Counter()
        let service = Service()
        var configuration = Session.Configuration()
        configuration.trust.roots = .pem(TestTLS.authorityPEM)
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-tour-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return TourEnvironment(
            server: try await TestServer.start(),
            secureServer: try await TestServer.start(tls: .localhost),
            otherServer: try await TestServer.start(behavior: .handler { Self.response(to: $0, pieces, service) }),
            session: Session(configuration: configuration),
            service: service,
            recorder: HARRecorder(),
            piecesMade: pieces,
            folder: folder,
            screen: screen
        )
    }

    func close() async {
        for server in [server, secureServer, otherServer] { await server.stop() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Passes a separate session to `body`, records its exchanges, and checks that it leaves no resources behind.
    func withSession<Result>(
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var configuration = Session.Configuration()
        configuration.trust = session.configuration.trust
        configuration.recorder = recorder
        configure(&configuration)
        let session = Session(configuration: configuration)
        let result = try await body(session)
        try await assertNothingLeft(session)
        return result
    }

    /// The piece that `/measured` sends, and the number of pieces.
    static let piece = [UInt8](repeating: 0x61, count: 64 << 10)
    static let pieceCount = 1024

    private static func response(to request: TestRequest, _ pieces: Counter, _ service: Service) -> TestResponse {
        switch request.path {
        case "/problem":
            .json(#"{"code": "nest-taken", "message": "starlings were here"}"#, status: 422)
        case "/measured":
            TestResponse(
                fields: [("Content-Type", "application/octet-stream")],
                body: .generated(length: piece.count * pieceCount) { number in
                    guard number < pieceCount else { return nil }
                    pieces.increment()
                    return piece
                }
            )
        case "/mirror":
            TestResponse(fields: [("Content-Type", request["Content-Type"] ?? "")], body: .bytes(request.body))
        case "/bomb":
            TestResponse(fields: [("Content-Encoding", "gzip")], body: .bytes(GzipBomb.bytes))
        case "/who":
            .text(request["Authorization"] ?? "a stranger")
        default:
            service.response(to: request) ?? Sightings.response(to: request) ?? .text("no such place", status: 404)
        }
    }
}

/// A thread-safe counter.
final class Counter: Sendable {
    private let stored = Lock(0)

    var value: Int { stored.withLock { $0 } }

    func increment() { stored.withLock { $0 += 1 } }
}
