internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation

/// Where the tour takes place: three servers in this process, and the session that most stops share.
struct Grounds: Sendable {
    /// The usual endpoints.
    let server: TestServer
    /// The usual endpoints over TLS, with a certificate of the test authority.
    let secureServer: TestServer
    /// Another origin, with what the tour needs besides.
    let otherServer: TestServer
    let session: Session
    /// What the other server guards.
    let service: Service
    /// Writes down what the sessions of `withSession` exchange.
    let recorder: HARRecorder
    /// How many pieces `/measured` has made.
    let piecesMade: Counter
    /// For files; gone after the tour.
    let folder: URL
    /// For what is drawn while a stop goes on.
    let screen: Screen

    static func open(_ screen: Screen) async throws -> Grounds {
        let pieces = Counter()
        let service = Service()
        var configuration = Session.Configuration()
        configuration.trust.roots = .pem(TestTLS.authorityPEM)
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-tour-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Grounds(
            server: try await TestServer.start(),
            secureServer: try await TestServer.start(tls: .localhost),
            otherServer: try await TestServer.start(behaviour: .handler { Self.answer($0, pieces, service) }),
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

    /// Lends a session of its own, whose exchanges are written down, and makes sure that nothing is left of it.
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

    /// How large a piece of `/measured` is, and how many there are.
    static let piece = [UInt8](repeating: 0x61, count: 64 << 10)
    static let pieceCount = 1024

    private static func answer(_ request: TestRequest, _ pieces: Counter, _ service: Service) -> TestResponse {
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
            service.answer(request) ?? .text("no such place", status: 404)
        }
    }
}

/// A number that several count up.
final class Counter: Sendable {
    private let stored = Lock(0)

    var value: Int { stored.withLock { $0 } }

    func increment() { stored.withLock { $0 += 1 } }
}
