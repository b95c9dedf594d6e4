import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// The cURL commands that describe requests, run by a shell, send the same requests as the session.
@Suite(.enabled(if: Shell.hasCurl), .timeLimit(.minutes(2))) struct CurlRunTests {
    private static let values = [
        "", "it's", "'", "\"x\"", "a\nb", "\n", "$HOME", "$(id)", "`id`", "!!", "ü日本🚀e\u{301}", "@value.txt", "@", "@-",
        "-",
        "--", "-x", "--data @x", "<value.txt", "\\", "a\\", "\\n\\0", "%41%s%", "a=b&c+d", " ", "a;type", "a,b",
        "[1-3]{a,b}", "~", "*?", "#x", "a\tb", "\r\n", "\u{1B}[2J", "\u{9B}31m", "\u{202E}", "\u{7F}", "a\0b\r\n",
        String(repeating: "long ", count: 20_000),
    ]

    /// Responds with 401 to requests for `/closed` without credentials, and with a redirect to requests for `/moved`.
    private static let respond = TestServer.Behavior.handler { request in
        if request.path.hasPrefix("/closed"), request["Authorization"] == nil {
            return TestResponse(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        if request.path.hasPrefix("/moved/"), let status = Int(request.path.dropFirst(7)) {
            return TestResponse(status: status, fields: [("Location", "/there?a=[1]")])
        }
        return TestResponse(status: 200, body: .text("ok"))
    }

    /// Sends the requests with the session and with curl, and compares the requests that the server received.
    private func compare(
        _ server: TestServer,
        _ session: Session,
        _ folder: URL,
        _ cases: [CurlCase]
    ) async throws {
        var commands: [String] = []
        server.forgetRequests()
        var ends: [Int] = []
        let options: RequestOptions = [GETBodyPolicy.allowed]
        for attempt in cases {
            let before = try await session.cURLDescription(of: attempt.message, options: options)
            let request = session.request(attempt.message, options: options)
            _ = try await request.serializingResponse(using: AnyBody()).value
            let command = try await request.cURLDescription()
            #expect(command == before, "\(attempt.label)")
            #expect(!command.unicodeScalars.contains { ControlCharacters.steers($0.value) }, "\(command)")
            commands.append(command)
            ends.append(server.requests.count)
        }
        // One shell runs all commands and prints the exit status of each.
        let script = commands.map { "\($0) >/dev/null\necho $?\n" }.joined()
        let outcome = try await Shell.run(script, in: folder.path)
        let endings = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        try #require(endings.count == commands.count && outcome.status == 0, "\(outcome.error)")
        let requests = server.requests.map { SentRequest($0) }
        let count = try #require(ends.last)
        try #require(requests.count == 2 * count)
        for (index, command) in commands.enumerated() {
            #expect(endings[index] == "0", "\(command)")
            for place in (index == 0 ? 0 : ends[index - 1])..<ends[index] {
                #expect(requests[place] == requests[count + place], "\(command.prefix(2000))")
            }
        }
    }

    private func compare(
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ cases: (TestServer, Session, URL) async throws -> [CurlCase]
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in CurlCase.files { try Data(file.content).write(to: folder.appending(path: file.name)) }
        var configuration = Wire.plain.configuration
        configuration.trust = ServerTrust()
        configure(&configuration)
        try await Wire.plain.with(Self.respond, configuration: configuration) { server, session in
            try await compare(server, session, folder, cases(server, session, folder))
        }
    }

    /// The configuration of the session under test.
    enum Kind: CaseIterable {
        case usual, bare, changing
    }

    /// Parity: AF-curl-format
    @Test(arguments: Kind.allCases)
    func sendsTheSameRandomRequests(of kind: Kind) async throws {
        let configure = { (configuration: inout Session.Configuration) in
            switch kind {
            case .usual: break
            case .bare:
                configuration.fields = [:]
                configuration.contentDecoding = .off
                configuration.redirects = .refuse
            case .changing:
                configuration.interceptor = Interceptor(adapters: [
                    Adapter.synchronous { request, _ in request.fields[.from] = "it's $HOME" }
                ])
                configuration.networkMiddleware = [Signature()]
            }
        }
        try await compare(configure: configure) { server, session, folder in
            let target = try TargetURI(server.url("/"))
            try session.cookies?.receive(setCookie: "a=\"$x\"; Path=/", from: target)
            try session.cookies?.receive(setCookie: "b='`'; Path=/", from: target)
            var generator = SeededGenerator(seed: 7 + UInt64(Kind.allCases.firstIndex(of: kind) ?? 0))
            return try (0..<70).map { number in
                try CurlCase(number: number, origin: server.origin, folder: folder, using: &generator)
            }
        }
    }

    @Test func sendsTheSameValues() async throws {
        try await compare { server, _, folder in
            try CurlCase.ofEach(Self.values, origin: server.origin, folder: folder)
        }
    }

    /// Covers credentials that the session has stored, and redirects on which curl chooses the method itself.
    @Test func followsTheSameRedirects() async throws {
        let store = CredentialStore()
        try await compare(configure: { $0.credentials = CredentialSource(store) }) { server, session, _ in
            let origin = try TargetURI(server.origin).origin
            store.set(.user("ada's", password: "p:$w"), for: ProtectionSpace(origin))
            _ = try await session.get(server.url("/closed/a"))
            let text = RequestBody.string("a")
            let closed = try RequestMessage(server.url("/closed/b"))
            let kept = [307, 308].map { ($0, HTTPRequest.Method.post) }
            let moved = try ([301, 302, 303, 307, 308].map { ($0, HTTPRequest.Method.get) } + kept).map {
                status,
                method in
                try RequestMessage(
                    server.url("/moved/\(status)"),
                    method: method,
                    // When curl changes a POST to a GET, it keeps Content-Type.
                    fields: method == .post ? [.contentType: "a/b"] : [:],
                    body: method == .post ? text : .none
                )
            }
            return ([closed] + moved).map { CurlCase($0) }
        }
    }
}

extension CurlCase {
    fileprivate init(_ message: RequestMessage) {
        self.init(message, "\(message)")
    }
}

/// Network middleware that adds a field derived from the request.
private struct Signature: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        request.fields[.acceptLanguage] = "1.1 \(request.fields.count) '\"$x\""
        return try await next(request, context: context)
    }
}
