internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth

/// Amazon's examples. InteropTests compares several hundred more with botocore.
@Suite(.timeLimit(.minutes(5))) struct AWSSignatureV4Tests {
    private static let suite = AWSCredentials(
        accessKey: "AKIDEXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    )
    private static let s3 = AWSCredentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    /// 2015-08-30T12:36:00Z, the time of the test suite.
    private static let suiteTime = Date(timeIntervalSince1970: 1_440_938_160)
    /// 2013-05-24T00:00:00Z, the time of the examples for S3.
    private static let s3Time = Date(timeIntervalSince1970: 1_369_353_600)

    private func signature(of request: RequestMessage) -> String? {
        request.fields[.authorization]?.components(separatedBy: "Signature=").last
    }

    /// aws-sig-v4-test-suite: get-vanilla, post-vanilla, get-vanilla-query-order-key-case.
    @Test(arguments: [
        (HTTPRequest.Method.get, "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        (.post, "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (.get, "/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        (.get, "/./example//../", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    ])
    func signsTheExamplesOfTheSuite(method: HTTPRequest.Method, path: String, signature: String) async throws {
        let signer = AWSSignatureV4(Self.suite, region: "us-east-1", service: "service")
        var request = try RequestMessage("https://example.amazonaws.com\(path)", method: method)
        try await signer.sign(&request, contentHash: HashFunction.sha256.hexadecimal(""), at: Self.suiteTime)
        #expect(try field("X-Amz-Date", request) == "20150830T123600Z")
        #expect(
            request.fields[.authorization]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=\(signature)"
        )
    }

    /// The first example, sent to an IP address with a `Host` field.
    @Test func signsTheHostField() async throws {
        let signer = AWSSignatureV4(Self.suite, region: "us-east-1", service: "service")
        var request = try RequestMessage("https://127.0.0.1:8443/")
        try request.fields.append(checking: "Host", "example.amazonaws.com")
        try await signer.sign(&request, contentHash: HashFunction.sha256.hexadecimal(""), at: Self.suiteTime)
        #expect(signature(of: request) == "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    @Test func signsTheExamplesForS3() async throws {
        let signer = AWSSignatureV4(Self.s3, region: "us-east-1", service: "s3")
        var get = try RequestMessage("https://examplebucket.s3.amazonaws.com/test.txt", fields: [.range: "bytes=0-9"])
        try await signer.sign(&get, contentHash: HashFunction.sha256.hexadecimal(""), at: Self.s3Time)
        #expect(signature(of: get) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        var put = try RequestMessage("https://examplebucket.s3.amazonaws.com/test$file.text", method: .put)
        try put.fields.append(checking: "Date", "Fri, 24 May 2013 00:00:00 GMT")
        try put.fields.append(checking: "x-amz-storage-class", "REDUCED_REDUNDANCY")
        let hash = HashFunction.sha256.hexadecimal("Welcome to Amazon S3.")
        try await signer.sign(&put, contentHash: hash, at: Self.s3Time)
        #expect(signature(of: put) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
        var list = try RequestMessage("https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2")
        try await signer.sign(&list, contentHash: HashFunction.sha256.hexadecimal(""), at: Self.s3Time)
        #expect(signature(of: list) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    @Test func signsURLs() async throws {
        let signer = AWSSignatureV4(Self.s3, region: "us-east-1", service: "s3")
        let target = try TargetURI("https://examplebucket.s3.amazonaws.com/test.txt")
        let signed = try await signer.presigned(target, for: .seconds(86400), since: Self.s3Time)
        #expect(
            signed.uri == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
    }

    // MARK: Signing in a session

    private func session(_ signer: AWSSignatureV4) -> (MockTransport, Session) {
        let transport = MockTransport { request in
            request.target.path == "/away"
                ? MockResponse(status: .found, fields: [.location: "https://other/"]) : MockResponse()
        }
        var configuration = Session.Configuration()
        configuration.fields = [:]
        configuration.networkMiddleware = [RequestSigning(signer) { $0.host == "h" }]
        return (transport, Session(configuration: configuration, transport: transport))
    }

    private func field(_ name: String, _ request: RequestMessage?) throws -> String? {
        request?.fields[try HTTPField.Name(checking: name)]
    }

    @Test func hashesTheBody() async throws {
        let credentials = AWSCredentials(accessKey: "AK", secretKey: "sesame", sessionToken: "token")
        let (transport, session) = session(AWSSignatureV4(credentials, region: "r", service: "s3"))
        let hash = HashFunction.sha256.hexadecimal("content")
        for body in [RequestBody.string("content"), .replayable { AsyncStream<BodyChunk>.of("content") }] {
            try await session.put("https://h/", body: body).validate()
            #expect(try field("X-Amz-Content-SHA256", transport.requests.last) == hash)
        }
        #expect(try field("X-Amz-Security-Token", transport.requests.last) == "token")
        #expect(transport.requests.last?.fields[.authorization]?.contains("x-amz-security-token") == true)
        #expect(!"\(transport.requests)".contains("sesame"))
    }

    @Test func leavesReadOnceBodiesUnsignedOnlyOverTLS() async throws {
        let (transport, session) = session(AWSSignatureV4(Self.s3, region: "r", service: "other"))
        func once() -> RequestBody { .once(AsyncStream<BodyChunk> { $0.finish() }) }
        try await session.put("https://h/", body: once()).validate()
        #expect(try field("X-Amz-Content-SHA256", transport.requests.last) == "UNSIGNED-PAYLOAD")
        let error = try await #require(throws: ApusError.self) { try await session.put("http://h/", body: once()) }
        #expect(error.code == .bodyNotReplayable)
        #expect(transport.requests.count == 1)
    }

    @Test func leavesTheBodyUnsignedOverTLSIfConfigured() async throws {
        var signer = AWSSignatureV4(Self.s3, region: "r", service: "s3")
        signer.signsContent = false
        let (transport, session) = session(signer)
        try await session.put("https://h/", body: .string("x")).validate()
        #expect(try field("X-Amz-Content-SHA256", transport.requests.last) == "UNSIGNED-PAYLOAD")
        try await session.put("http://h/", body: .string("x")).validate()
        #expect(try field("X-Amz-Content-SHA256", transport.requests.last) == HashFunction.sha256.hexadecimal("x"))
    }

    @Test func signsOnlyForItsOrigins() async throws {
        let (transport, session) = session(AWSSignatureV4(Self.s3, region: "r", service: "s3"))
        try await session.get("https://h/away").validate()
        #expect(transport.requests.map { $0.fields.contains(.authorization) } == [true, false])
        #expect(transport.requests.last?.fields.contains { $0.name.canonicalName.hasPrefix("x-amz") } == false)
    }

    @Test func revealsNoKeys() {
        let credentials = AWSCredentials(accessKey: "sesame", secretKey: "sesame", sessionToken: "sesame")
        let signer = AWSSignatureV4(credentials, region: "r", service: "s")
        for value in [credentials, signer] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] { #expect(!text.contains("sesame")) }
        }
    }
}
