internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct AFMultipartFormDataTests {
    private func request(_ build: (inout AFMultipartFormData) throws -> Void) throws -> RequestMessage {
        try AFHTTPRequestSerializer().multipartFormRequest(
            withMethod: .post,
            urlString: "http://h/",
            constructingBodyWith: build
        )
    }

    /// Returns the parts of a form, between its delimiters.
    private func parts(_ build: (inout AFMultipartFormData) throws -> Void) async throws -> [String] {
        let request = try request(build)
        let boundary = try #require(request.fields[.contentType]?.split(separator: "boundary=").last)
        let text = try await request.text
        #expect(request.body.length == Int64(text.utf8.count))
        #expect(text.hasPrefix("--\(boundary)\r\n"))
        #expect(text.hasSuffix("\r\n--\(boundary)--\r\n"))
        return text.dropFirst(boundary.count + 3).dropLast(boundary.count + 6)
            .split(separator: "\r\n--\(boundary)\r\n").map(String.init)
    }

    private func stream(_ texts: [String]) -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            for text in texts { stream.yield(BodyChunk(text)) }
            stream.finish()
        }
    }

    private static let disposition = "Content-Disposition: form-data; name="

    /// Parity: AFN-multipart-file
    @Test func appendsFilesByTheirOwnNames() async throws {
        let scratch = try TemporaryFolder()
        let (png, other) = (try scratch.write("PNG", to: "a b.png"), try scratch.write("?", to: "no.such-type"))
        let parts = try await parts { form in
            try form.appendPart(withFileURL: png, name: "icon")
            try form.appendPart(withFileURL: other, name: "other")
        }
        #expect(
            parts == [
                "\(Self.disposition)\"icon\"; filename=\"a b.png\"\r\nContent-Type: image/png\r\n\r\nPNG",
                "\(Self.disposition)\"other\"; filename=\"no.such-type\"\r\n"
                    + "Content-Type: application/octet-stream\r\n\r\n?",
            ]
        )
    }

    /// Parity: AFN-multipart-file-typed, AFN-multipart-stream, AFN-multipart-data
    @Test func appendsFilesDataAndStreamsByOtherNames() async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.write("file", to: "a.png")
        let parts = try await parts { form in
            try form.appendPart(withFileURL: file, name: "f", fileName: "é\".txt", mimeType: "text/plain")
            try form.appendPart(withFileData: Data("data".utf8), name: "d", fileName: "d", mimeType: "image/gif")
            let stream = stream(["str", "eam"])
            try form.appendPart(withStream: stream, name: "s", fileName: "s\r\n", length: 6, mimeType: "a/b; c=d")
        }
        #expect(
            parts == [
                "\(Self.disposition)\"f\"; filename=\"é%22.txt\"\r\nContent-Type: text/plain\r\n\r\nfile",
                "\(Self.disposition)\"d\"; filename=\"d\"\r\nContent-Type: image/gif\r\n\r\ndata",
                "\(Self.disposition)\"s\"; filename=\"s%0D%0A\"\r\nContent-Type: a/b; c=d\r\n\r\nstream",
            ]
        )
    }

    /// Parity: AFN-multipart-form, AFN-multipart-headers
    @Test func appendsFieldsAndCustomParts() async throws {
        let parts = try await parts { form in
            form.appendPart(withForm: Data(), name: "empty")
            try form.appendPart(withHeaders: [.contentType: "text/plain", .from: "ada"], body: Data("body".utf8))
            try form.appendPart(withHeaders: [:], body: Data("bare".utf8))
        }
        #expect(
            parts == [
                "\(Self.disposition)\"empty\"\r\n\r\n", "Content-Type: text/plain\r\nFrom: ada\r\n\r\nbody",
                "\r\nbare",
            ]
        )
    }

    @Test(arguments: ["", "text/plain\r\nX: y", "text/\0"])
    func rejectsMediaTypesWithControlCharacters(type: String) async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.write("x", to: "x")
        let appends: [(inout AFMultipartFormData) throws -> Void] = [
            { try $0.appendPart(withFileURL: file, name: "n", fileName: "f", mimeType: type) },
            { try $0.appendPart(withFileData: Data(), name: "n", fileName: "f", mimeType: type) },
            { try $0.appendPart(withStream: stream([]), name: "n", fileName: "f", length: 0, mimeType: type) },
        ]
        for append in appends {
            let error = try await refusal { try request(append) }
            #expect(error.code == .multipartEncodingFailed)
            #expect(error.method == .post)
        }
    }

    @Test func rejectsInvalidFiles() async throws {
        let scratch = try TemporaryFolder()
        for url in [scratch.url, scratch.url.appending(path: "none"), try #require(URL(string: "https://h/f.png"))] {
            #expect(
                try await refusal { try request { try $0.appendPart(withFileURL: url, name: "f") } }.code
                    == .fileUnreadable
            )
        }
    }

    /// Parity: AFN-multipart-stream
    @Test(arguments: [(["ab"], 3), (["abcd"], 3), ([], 1)] as [([String], Int64)])
    func rejectsAStreamOfTheWrongLength(texts: [String], length: Int64) async throws {
        let request = try request {
            try $0.appendPart(withStream: stream(texts), name: "s", fileName: "f", length: length, mimeType: "a/b")
        }
        let error = try await refusal { try await request.content }
        #expect(error.code == .multipartEncodingFailed)
        #expect(error.detail.contains("the part 's'"))
    }

    @Test func canBeResentUnlessAPartIsAStream() async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.write("file", to: "a")
        let form = try request { try $0.appendPart(withFileURL: file, name: "f") }
        #expect(try await form.content == form.content)
        let once = try request {
            try $0.appendPart(withStream: stream(["a"]), name: "s", fileName: "f", length: 1, mimeType: "a/b")
        }
        _ = try await once.content
        #expect(try await refusal { try await once.content }.code == .bodyNotReplayable)
    }

    /// Parity: AFN-multipart-throttle
    @Test(arguments: [1, 7, 1000])
    func isSentInPacketsIfThrottled(packetSize: Int) async throws {
        let request = try request { form in
            form.appendPart(withForm: Data(repeating: 0x61, count: 100), name: "a")
            form.throttleBandwidth(withPacketSize: packetSize, delay: .zero)
        }
        let reader = try await request.body.open()
        var sizes: [Int] = []
        while let chunk = try await reader.next() { sizes.append(chunk.count) }
        #expect(sizes.allSatisfy { $0 <= packetSize })
        #expect(sizes.reduce(0, +) == request.body.length.map(Int.init))
        #expect(try await request.text.contains(String(repeating: "a", count: 100)))
    }

    @Test func isNotThrottledWithoutAPart() throws {
        let request = try request { $0.throttleBandwidth() }
        #expect(request.body.length == 0)
        #expect(RequestBody.suggestedPacketSize == 16 << 10)
        #expect(RequestBody.suggestedPacketDelay == .milliseconds(200))
    }
}
