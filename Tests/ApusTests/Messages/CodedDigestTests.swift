import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// Digests of downloads whose response has a content coding.
///
/// `Repr-Digest` is that of the bytes with their coding (RFC 9530 §3), and `ExpectedDigest` is that of the file.
@Suite(.timeLimit(.minutes(5))) struct CodedDigestTests {
    /// Bytes that a digest was made of.
    enum Digested: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case content, coded, another

        var bytes: [UInt8] {
            switch self {
            case .content: CodedDigestTests.content
            case .coded: CodedDigestTests.coded
            case .another: [1, 2, 3]
            }
        }

        var testDescription: String { "of \(rawValue)" }
    }

    private static let content = TestServer.pattern(count: 5000)
    private static let coded = StoredGzip.coded(content)

    private static func digest(of bytes: [UInt8]) -> [UInt8] {
        var stream = DigestStream(.sha256)
        stream.update(BodyChunk(bytes))
        return stream.finish()
    }

    private static func expectation(_ digested: Digested) throws -> ExpectedDigest {
        let digest = try #require(ContentDigest(.sha256, bytes: digest(of: digested.bytes)))
        return try ExpectedDigest.sha256(digest.hexadecimal)
    }

    /// Returns a response that declares a digest.
    private static func response(_ body: [UInt8], coding: String, _ digested: Digested?) -> TestResponse {
        var response = TestResponse(fields: [("Content-Encoding", coding), ("ETag", "\"1\"")], body: .bytes(body))
        if let digested {
            let digits = Data(digest(of: digested.bytes)).base64EncodedString()
            response.fields.append(("Repr-Digest", "sha-256=:\(digits):"))
        }
        return response
    }

    /// Downloads a response, and checks the file, or its absence after an error.
    private func outcome(
        _ wire: Wire,
        of response: TestResponse,
        options: RequestOptions = .none,
        expecting bytes: [UInt8]
    ) async throws -> ApusError? {
        try await wire.with(.handler { _ in response }) { server, session in
            let folder = try TemporaryFolder()
            let file = folder.url("file")
            let request = session.download(server.url("/"), to: .file(file), options: options)
            let error = await request.serializingURL().response.error
            if error == nil { #expect(try Data(contentsOf: file) == Data(bytes)) }
            #expect(try folder.names == (error == nil ? ["file"] : []))
            #expect(server.requestCount == 1)
            return error
        }
    }

    /// The code of the error of a download, by whether its digest is right.
    private func code(_ isRight: Bool) -> ApusError.Code? { isRight ? nil : .digestMismatch }

    // MARK: The digest of the server

    /// The decoded bytes have another digest than those that arrived, so nothing can be compared.
    @Test(arguments: Wire.allCases, Digested.allCases)
    func comparesNoDigestOfADecodedResponse(wire: Wire, digested: Digested) async throws {
        let response = Self.response(Self.coded, coding: "gzip", digested)
        let error = try await outcome(wire, of: response, expecting: Self.content)
        #expect(error == nil)
    }

    @Test(arguments: Wire.allCases, Digested.allCases)
    func comparesTheDigestOfAResponseThatStaysCoded(wire: Wire, digested: Digested) async throws {
        let response = Self.response(Self.coded, coding: "gzip", digested)
        let error = try await outcome(wire, of: response, options: [ContentDecoding.off], expecting: Self.coded)
        #expect(error?.code == code(digested == .coded))
    }

    /// The response stays as it is.
    @Test(arguments: Wire.allCases, Digested.allCases)
    func comparesTheDigestOfAnUnknownCoding(wire: Wire, digested: Digested) async throws {
        let response = Self.response(Self.coded, coding: "x-unknown", digested)
        let error = try await outcome(wire, of: response, expecting: Self.coded)
        #expect(error?.code == code(digested == .coded))
    }

    @Test(arguments: Wire.allCases, Digested.allCases)
    func comparesTheDigestWithoutACoding(wire: Wire, digested: Digested) async throws {
        let response = Self.response(Self.content, coding: "identity", digested)
        let error = try await outcome(wire, of: response, expecting: Self.content)
        #expect(error?.code == code(digested == .content))
    }

    /// The error is that of the coding, and not that of the digest.
    @Test(arguments: Wire.allCases) func reportsADamagedCoding(wire: Wire) async throws {
        var damaged = Self.coded
        damaged[damaged.count - 6] ^= 1
        let response = Self.response(damaged, coding: "gzip", .coded)
        let error = try await outcome(wire, of: response, expecting: [])
        #expect(error?.code == .contentCodingFailed)
    }

    // MARK: The digest of the request

    @Test(arguments: Wire.allCases, Digested.allCases)
    func expectsTheDigestOfTheDecodedFile(wire: Wire, digested: Digested) async throws {
        let response = Self.response(Self.coded, coding: "gzip", nil)
        let options: RequestOptions = [try Self.expectation(digested)]
        let error = try await outcome(wire, of: response, options: options, expecting: Self.content)
        #expect(error?.code == code(digested == .content))
    }

    @Test(arguments: Wire.allCases, Digested.allCases)
    func expectsTheDigestOfTheCodedFile(wire: Wire, digested: Digested) async throws {
        let response = Self.response(Self.coded, coding: "gzip", nil)
        let options: RequestOptions = [ContentDecoding.off, try Self.expectation(digested)]
        let error = try await outcome(wire, of: response, options: options, expecting: Self.coded)
        #expect(error?.code == code(digested == .coded))
    }

    /// The server declares that of the coded bytes, and the caller expects that of the file.
    @Test(arguments: Wire.allCases) func acceptsBothDigests(wire: Wire) async throws {
        let response = Self.response(Self.coded, coding: "gzip", .coded)
        let options: RequestOptions = [try Self.expectation(.content)]
        let error = try await outcome(wire, of: response, options: options, expecting: Self.content)
        #expect(error == nil)
    }

    // MARK: Parts

    /// A range would count other bytes than those of the file, so nothing is kept.
    @Test(arguments: Wire.allCases) func keepsNoPartOfADecodedResponse(wire: Wire) async throws {
        var response = Self.response(Self.coded, coding: "gzip", .coded)
        response.abortsAfterBodyBytes = Self.coded.count / 2
        let cut = response
        try await wire.with(.handler { _ in cut }) { server, session in
            let folder = try TemporaryFolder()
            let destination = DownloadDestination.file(folder.url("file"), options: .resumePartialFile)
            let request = session.download(server.url("/"), to: destination)
            #expect(await request.serializingURL().response.error != nil)
            #expect(request.resumeData == nil)
            #expect(try folder.names == [])
            #expect(server.requests.map { $0["Accept-Encoding"] } == ["identity"])
        }
    }
}
