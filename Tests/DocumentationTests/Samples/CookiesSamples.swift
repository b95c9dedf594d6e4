internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the guide to cookies, and of the comments on them.
@Suite(.timeLimit(.minutes(5)))
final class CookiesSamples {
    private let session = SampleService.session()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func jars() async throws {
        try session.cookies?.receive(setCookie: "sid=1", from: TargetURI("https://example.org/"))
        _ = try await session.get("https://api.example.org/users/1")
        let names = session.cookies?.cookies.map(\.name)
        session.cookies?.remove { $0.domain == "example.org" }
        #expect(names == ["sid"])
        #expect(session.cookies?.cookies.isEmpty == true)
    }

    @Test func logsIn() async throws {
        let transport = MockTransport { request in
            request.target.path == "/login"
                ? MockResponse(fields: [.setCookie: "sid=31d4; Path=/; Secure; HttpOnly"])
                : MockResponse(body: #"{"id": 1, "name": "Ada"}"#)
        }
        let session = Session(transport: transport)
        let password = "swift"
        try await session.post("https://api.example.org/login", parameters: ["user": "ada", "password": password])
            .validate()
        let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
        #expect(user.name == "Ada")
        #expect(transport.requests.last?.fields[.cookie] == "sid=31d4")
    }

    @Test func handling() async throws {
        let page = try await session.get("https://example.org/", options: [CookieHandling.off])
        #expect(page.request.fields[.cookie] == nil)
        var configuration = Session.Configuration()
        configuration.cookies = .off
        let silent = Session(configuration: configuration)
        #expect(silent.cookies == nil)
    }

    @Test func sharing() async throws {
        var configuration = Session.Configuration()
        configuration.cookies = .jar(CookieJar())
        let session = Session(configuration: configuration)
        #expect(session.cookies != nil)
    }

    @Test func own() throws {
        let consent = try Cookie(name: "consent", value: "none", domain: "example.org")
        try session.cookies?.set(consent)
        #expect(session.cookies?.cookies == [consent])
    }

    @Test func files() async throws {
        let file = CookieFile(at: folder.appending(path: "cookies.json"))
        let jar = try CookieJar(file: file)
        try await jar.save()
        #expect(try file.read().isEmpty)
    }

    @Test func suffixes() {
        let list = PublicSuffixList.embedded
        let domain = list.registrableDomain(of: "www.example.co.uk")
        #expect(domain == "example.co.uk")
    }
}
