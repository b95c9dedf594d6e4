internal import Apus
internal import Testing

@testable internal import ApusAuth

@Suite struct ChallengeParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let lines: [String]
        let read: [String]

        init(_ lines: String..., read: [String]) {
            self.lines = lines
            self.read = read
        }

        var testDescription: String { lines.joined(separator: " | ") }
    }

    /// Fields and the challenges read from them, each as `scheme token name=value name=value`.
    static let cases = [
        Case(#"Basic realm="simple""#, read: ["Basic realm=simple"]),
        Case("Basic", read: ["Basic"]),
        Case("Negotiate YII==", read: ["Negotiate YII=="]),
        Case("Negotiate a-._~+/9=", read: ["Negotiate a-._~+/9="]),
        Case("Negotiate, Basic realm=a", read: ["Negotiate", "Basic realm=a"]),
        Case("Negotiate YII==, Basic realm=a", read: ["Negotiate YII==", "Basic realm=a"]),
        Case(
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            read: [#"Newauth realm=apps type=1 title=Login to "apps""#, "Basic realm=simple"]
        ),
        Case("Basic realm=\"a\"", "Digest nonce=x", read: ["Basic realm=a", "Digest nonce=x"]),
        // One list in two fields.
        Case("Digest realm=a", "nonce=x", read: ["Digest realm=a nonce=x"]),
        Case(",, Basic , ,realm=a,, Digest,nonce=x,", read: ["Basic realm=a", "Digest nonce=x"]),
        Case("Basic realm = \"a\" , charset\t=\tUTF-8", read: ["Basic realm=a charset=UTF-8"]),
        Case("BASIC Realm=\"A\"", read: ["BASIC realm=A"]),
        Case(#"Basic realm="a,b=c, Digest nonce=\"x\"""#, read: [#"Basic realm=a,b=c, Digest nonce="x""#]),
        Case(#"Basic realm="\a\\\"""#, read: [#"Basic realm=a\""#]),
        Case("Basic realm=\"\"", read: ["Basic realm="]),
        Case("Basic realm=Größe", read: ["Basic realm=Größe"]),
        // Malformed fields are read as far as possible.
        Case("", read: []), Case(",", read: []), Case(" ", read: []), Case("=", read: []), Case("\"", read: []),
        Case("realm=a", read: []),
        Case("=a, Basic", read: ["Basic"]),
        Case("\"Basic\" realm=a, Basic", read: ["Basic"]),
        Case("Basic realm=", read: ["Basic realm="]),
        Case("Basic realm=the whole house, charset=UTF-8", read: ["Basic realm=the whole house charset=UTF-8"]),
        Case("Basic realm=\"open", read: ["Basic realm=open"]),
        Case("Basic realm=\"open\\", read: ["Basic realm=open\\"]),
        Case("Basic realm=\"a\" junk, Digest nonce=x", read: ["Basic realm=a", "Digest nonce=x"]),
        Case("Basic realm=\"a\"\"b\", Digest nonce=x", read: ["Basic realm=a", "Digest nonce=x"]),
        Case("Ba(sic realm=a", read: []),
        Case("Basic foo bar, Digest nonce=x", read: ["Basic", "Digest nonce=x"]),
        Case("Basic foo bar=x", read: ["Basic"]),
        Case("Digest qop=auth,auth-int", read: ["Digest qop=auth", "auth-int"]),
        Case("Negotiate abc, realm=x", read: ["Negotiate abc"]),
        Case("Basic a====b", read: ["Basic a====b"]),
    ]

    @Test(arguments: cases)
    func reads(_ example: Case) {
        var parser = ChallengeParser()
        for line in example.lines { parser.read(line.utf8) }
        #expect(parser.challenges.map(formatted) == example.read)
    }

    private func formatted(_ challenge: AuthenticationChallenge) -> String {
        let words = [challenge.scheme, challenge.token].compactMap { $0 }
        return (words + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
    }

    @Test func readsTheFieldsOfAMessage() {
        var fields: HTTPFields = [.wwwAuthenticate: "Basic realm=\"a\"", .proxyAuthenticate: "Basic realm=\"proxy\""]
        fields.append(HTTPField(name: .wwwAuthenticate, value: "Bearer"))
        let challenges = AuthenticationChallenge.challenges(in: fields)
        #expect(challenges.map(\.scheme) == ["Basic", "Bearer"])
        #expect(challenges.first?.realm == "a")
        #expect(challenges.first?["REALM"] == "a")
        #expect(challenges.first?.isOf(scheme: "basic") == true)
        let proxys = AuthenticationChallenge.challenges(in: fields, of: .proxyAuthenticate)
        #expect(proxys.map(\.realm) == ["proxy"])
        #expect(AuthenticationChallenge.challenges(in: [:]).isEmpty)
    }

    @Test func enforcesItsLimits() {
        var parser = ChallengeParser()
        parser.read((0..<100).map { "S\($0)" }.joined(separator: ",").utf8)
        #expect(parser.challenges.count == 16)
        // Challenges beyond the limit, even in the next field, add no parameters to the last one.
        parser.read("p=q, Next a=b, c=d".utf8)
        parser.read("e=f".utf8)
        #expect(parser.challenges.last?.scheme == "S15" && parser.challenges.last?.parameters.isEmpty == true)
        parser = ChallengeParser()
        let parameters = (0..<100).map { "p\($0)=\($0)" }.joined(separator: ",")
        parser.read("Digest \(parameters)".utf8)
        #expect(parser.challenges.first?.parameters.count == 32)
        #expect(AuthenticationInfo.parameters(in: parameters.utf8).count == 32)
    }

    @Test func survivesRandomInput() {
        let alphabet = Array("Basic=,\"\\ \t;ré=a\u{0}Digest,nonce".unicodeScalars)
        var generator = Scrambler(seed: 7)
        for _ in 0..<20_000 {
            var line = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                line.append(alphabet.randomElement(using: &generator) ?? "a")
            }
            var parser = ChallengeParser()
            parser.read(String(line).utf8)
            for challenge in parser.challenges { _ = Offer(challenge) }
            _ = AuthenticationInfo.parameters(in: String(line).utf8)
        }
    }

    @Test func readsLongLinesQuickly() {
        var parser = ChallengeParser()
        parser.read(String(repeating: "a ", count: 500_000).utf8)
        parser.read(String(repeating: "\"\\", count: 500_000).utf8)
        parser.read(String(repeating: "a=\"", count: 300_000).utf8)
        #expect(parser.challenges.count <= 16)
    }

    private func info(_ line: String) -> [String: String] {
        AuthenticationInfo.parameters(in: line.utf8).mapValues { String(decoding: $0, as: UTF8.self) }
    }

    @Test func readsTheParametersOfAuthenticationInfo() {
        let info = self.info(#"nextnonce="n,1", qop=auth,, RSPAUTH = "abc", nc=00000001"#)
        #expect(info == ["nextnonce": "n,1", "qop": "auth", "rspauth": "abc", "nc": "00000001"])
        #expect(self.info("nextnonce=a, nextnonce=b")["nextnonce"] == "a")
    }
}
