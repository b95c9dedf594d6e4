internal import Apus
internal import ApusTesting
internal import Testing

@testable internal import ApusAuth

/// A session over a mock server that requires credentials.
struct GuardedSession {
    let transport: MockTransport
    let session: Session

    init(
        _ source: CredentialSource? = nil,
        configuring configure: (inout Session.Configuration) -> Void = { _ in },
        respondingWith handler: @escaping MockTransport.Handler
    ) {
        let transport = MockTransport(handler)
        var configuration = Session.Configuration()
        configuration.credentials = source
        configure(&configuration)
        self.transport = transport
        self.session = Session(configuration: configuration, transport: transport)
    }

    /// The `Authorization` fields of the requests, empty where there was none.
    var authorizations: [String] { transport.requests.map { $0.fields[.authorization] ?? "" } }
}

extension MockResponse {
    /// Returns a refusal with each challenge in a separate field.
    static func challenge(_ challenges: String...) -> MockResponse {
        var response = MockResponse(status: .unauthorized, body: "who are you?")
        for challenge in challenges { response.fields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return response
    }
}

extension RequestMessage {
    var isBasic: Bool { fields[.authorization]?.hasPrefix("Basic ") == true }

    /// Returns a parameter of the `Authorization` field.
    func digestValue(_ name: String) -> String? {
        var parser = ChallengeParser()
        for value in fields[values: .authorization] { parser.read(value.utf8) }
        return parser.challenges.first?[name]
    }

    /// Returns whether the Digest response proves the password, by the formulas of RFC 7616 §3.4.1.
    func knows(_ password: String, function: HashFunction = .md5, content: String? = nil) -> Bool {
        let names = ["username", "realm", "nonce", "nc", "cnonce", "qop", "response", "uri"]
        let words = names.compactMap { digestValue($0) }
        guard words.count == 8, words[7] == target.path else { return false }
        let key = function.hexadecimal("\(words[0]):\(words[1]):\(password)")
        let hash = content.map { ":" + function.hexadecimal($0) } ?? ""
        let requestHash = function.hexadecimal("\(method.rawValue):\(target.path)\(hash)")
        let response = [key, words[2], words[3], words[4], words[5], requestHash].joined(separator: ":")
        return words[6] == function.hexadecimal(response)
    }
}

extension CredentialSource {
    static let ada = CredentialSource { _ in .user("ada", password: "secret") }
}

/// Base64 of `ada:secret`.
let adaAsBasic = "Basic YWRhOnNlY3JldA=="

extension AsyncStream<BodyChunk> {
    /// Returns a stream of texts.
    static func of(_ texts: String...) -> AsyncStream<BodyChunk> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(BodyChunk(text)) }
            continuation.finish()
        }
    }
}
