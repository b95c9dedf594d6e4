internal import Apus
internal import Testing

@testable internal import ApusAuth

@Suite struct DigestSessionTests {
    private func ticket(of session: inout DigestSession) throws -> DigestTicket {
        let ticket = session.ticket()
        return try #require(ticket)
    }

    private func session(
        _ challenge: String,
        user: String = "Mufasa",
        password: String = "Circle of Life",
        clientNonce: String
    ) throws -> DigestSession {
        let fields: HTTPFields = [.wwwAuthenticate: challenge]
        let parsed = try #require(AuthenticationChallenge.challenges(in: fields).first)
        let digest = try #require(DigestChallenge(parsed))
        return DigestSession(digest, user: user, password: password, clientNonce: clientNonce)
    }

    /// The example of RFC 7616 §3.9.1, verbatim.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func writesTheExampleOfTheRFC(algorithm: String, response: String) throws {
        var session = try session(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        let ticket = try ticket(of: &session)
        #expect(
            ticket.text(method: "GET", target: "/dir/index.html") == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """
        )
    }

    /// RFC 7616 §3.9.2 with the hashes of erratum 4897. Those of the RFC come from a truncated SHA-512.
    @Test(arguments: [
        (
            ", userhash=true", #"username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b""#,
            ", userhash=true"
        ),
        ("", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe", ""),
    ])
    func writesTheExampleOfTheRFCWithAName(attributes: String, name: String, suffix: String) throws {
        // The first umlaut of the name is decomposed here, and is sent composed.
        var session = try session(
            """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", \
            charset=UTF-8\(attributes)
            """,
            user: "Ja\u{308}søn Doe",
            password: "Secret, or not?",
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
        )
        let ticket = try ticket(of: &session)
        #expect(
            ticket.text(method: "GET", target: "/doe.json") == """
                Digest \(name), realm="api@example.org", uri="/doe.json", algorithm=SHA-512-256, \
                nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", nc=00000001, \
                cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", qop=auth, \
                response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5", \
                opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"\(suffix)
                """
        )
    }

    /// RFC 2617 §3.5, and RFC 2069 §2.4 with the hash of its erratum 749.
    @Test(arguments: [
        ("Circle Of Life", #", qop="auth,auth-int""#, "6629fae49393a05397450978507c4ef1"),
        ("CircleOfLife", "", "1949323746fe6a43ef61f9606e7febea"),
    ])
    func writesTheExamplesOfTheOlderRFCs(password: String, quality: String, response: String) throws {
        var session = try session(
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""# + quality,
            password: password,
            clientNonce: "0a4f113b"
        )
        let ticket = try ticket(of: &session)
        let field = ticket.text(method: "GET", target: "/dir/index.html")
        #expect(field.contains("response=\"\(response)\""))
        #expect(field.contains("algorithm") == false)
        #expect(field.contains("nc=") == !quality.isEmpty)
        #expect(field.contains("cnonce=") == !quality.isEmpty)
    }

    /// The request of RFC 7616 §3.9.1, for `auth-int` as a POST of `Roar`. The hashes come from Python's hashlib.
    @Test(arguments: [
        ("MD5", "auth-int", "d1118015326857811c837ff678f5033e"),
        ("MD5", nil, "7b2cc3b30e75b4777ea31027084363fd"),
        ("SHA-256", "auth-int", "dd7b07af846c20cf360d95e86e996de338ae04d6ddb901d964d3941005d10e68"),
        ("SHA-256", nil, "a1306b0595a6c7fe96c448631fb5cfbd5107bd1fe1da729d978dd7446b812363"),
        ("SHA-512-256", "auth", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
        ("SHA-512-256", "auth-int", "b8f884326dd827aa61e9d329f00c4d9ddf8d22c1b7ebf4c9d91fd5721f264184"),
        ("MD5-sess", "auth", "e783283f46242139c486a698fec7211d"),
        ("MD5-sess", "auth-int", "b95ee62c9fc0c574b833f9b29ad6963e"),
        ("MD5-sess", nil, "37a7f42db2090a3fcac4e26e747d4fc8"),
        ("SHA-256-sess", "auth", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("SHA-256-sess", "auth-int", "90532365f1602ecc07759b29ec9cf165aa5ff1238db4643b26873f0938d16921"),
        ("SHA-512-256-sess", "auth", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
        ("SHA-512-256-sess", "auth-int", "42814ad63e21067dc8db43e9c0a5cf2081d7794df9684703194cb6da203fd9da"),
    ])
    func computesTheResponse(algorithm: String, quality: String?, response: String) throws {
        var session = try session(
            """
            Digest realm="http-auth@example.org", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"\(quality.map { ", qop=\"\($0)\"" } ?? "")
            """,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        let ticket = try ticket(of: &session)
        let isWhole = quality == "auth-int"
        let hash = isWhole ? ticket.challenge.algorithm.function.hexadecimal("Roar") : nil
        let method = isWhole ? "POST" : "GET"
        let field = ticket.text(method: method, target: "/dir/index.html", contentHash: hash)
        #expect(field.contains("response=\"\(response)\""))
        #expect(field.contains("cnonce=") == (quality != nil || algorithm.hasSuffix("sess")))
    }

    @Test func quotesRepeatedParameters() throws {
        var session = try session(
            #"Digest realm="a \"b\" \\c", nonce="n", opaque="\"", qop=auth"#,
            user: #"Ada "the \ first""#,
            clientNonce: "c"
        )
        let field = try ticket(of: &session).text(method: "GET", target: #"/a?b="c""#)
        #expect(field.contains(#"username="Ada \"the \\ first\"", realm="a \"b\" \\c", uri="/a?b=\"c\"""#))
        #expect(field.hasSuffix(#"opaque="\"""#))
    }

    @Test func countsTheRequestsOfANonce() throws {
        var session = try session("Digest realm=a, nonce=n, qop=auth", clientNonce: "c")
        func count(_ ticket: DigestTicket?) -> String? {
            let field = ticket?.text(method: "GET", target: "/") ?? ""
            return field.firstMatch(of: #/nc=(\w+)/#).map { String($0.1) }
        }
        let counts = (0..<17).map { _ in count(session.ticket()) }
        #expect(counts.first == "00000001")
        #expect(counts.last == "00000011")
        let old = try ticket(of: &session)
        session.advance(to: Array("m".utf8), after: old)
        #expect(session.challenge.nonce == Array("m".utf8))
        let new = try ticket(of: &session)
        #expect(count(new) == "00000001")
        session.advance(to: Array("m".utf8), after: new)
        session.advance(to: [], after: new)
        session.advance(to: Array("other".utf8), after: old)
        #expect(count(session.ticket()) == "00000002")
    }

    @Test func verifiesTheProofOfTheServer() throws {
        var session = try session(
            """
            Digest realm="http-auth@example.org", qop="auth", algorithm=SHA-256, \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
            """,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        let ticket = try ticket(of: &session)
        func info(_ name: String, _ value: String) -> [String: [UInt8]] { [name: Array(value.utf8)] }
        let good = "86d3b25618d41854ca5039a5d7e53ff6355d5134a9b1fb088a78ac3c462195a0"
        #expect(ticket.isConfirmed(by: info("rspauth", good), target: "/dir/index.html") == true)
        #expect(ticket.isConfirmed(by: info("rspauth", good.uppercased()), target: "/dir/index.html") == true)
        #expect(ticket.isConfirmed(by: info("rspauth", good), target: "/dir/other.html") == false)
        #expect(ticket.isConfirmed(by: info("nextnonce", "x"), target: "/dir/index.html") == nil)
    }

    @Test(arguments: [
        ("Digest realm=a", false), ("Digest realm=a, nonce=\"\"", false), ("Digest nonce=n", true),
        ("Digest nonce=n, algorithm=MD5-SESS", true), ("digest nonce=n, algorithm=\"sha-256\"", true),
        ("Digest nonce=n, algorithm=SHA-512", false), ("Digest nonce=n, algorithm=-sess", false),
        ("Digest nonce=n, algorithm=token", false), ("Digest nonce=n, qop=\"\"", true),
        ("Digest nonce=n, qop=\"auth-conf\"", false), ("Digest nonce=n, qop=\"x,AUTH\"", true),
        ("Basic nonce=n", false),
    ])
    func acceptsSupportedChallenges(challenge: String, isSupported: Bool) throws {
        let parsed = AuthenticationChallenge.challenges(in: [.wwwAuthenticate: challenge]).first
        #expect((DigestChallenge(try #require(parsed)) != nil) == isSupported)
    }
}

extension DigestTicket {
    /// The value of the `Authorization` field, which is ASCII here.
    fileprivate func text(method: String, target: String, contentHash: String? = nil) -> String {
        String(decoding: authorization(method: method, target: target, contentHash: contentHash), as: UTF8.self)
    }
}
