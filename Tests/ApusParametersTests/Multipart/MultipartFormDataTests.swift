internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusParameters

/// Compares encoded forms byte by byte.
@Suite(.timeLimit(.minutes(5))) struct MultipartFormDataTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    /// Builds a form with a known boundary, and compares the result of each way to encode it.
    private func expect(
        _ wanted: String,
        subtype: String = "form-data",
        isKnownLength: Bool = true,
        of build: (inout MultipartFormData) throws -> Void
    ) async throws {
        var form = try MultipartFormData(subtype: subtype, boundary: "b")
        try build(&form)
        #expect(form.contentLength == (isKnownLength ? Int64(wanted.utf8.count) : nil))
        for threshold in [0, MultipartFormData.encodingMemoryThreshold] {
            let body = try form.makeBody(encodingMemoryThreshold: threshold)
            #expect(body.length == form.contentLength)
            #expect(body.isReplayable)
            #expect(String(decoding: try await body.read, as: UTF8.self) == wanted)
        }
        #expect(String(decoding: try await form.encode(), as: UTF8.self) == wanted)
    }

    @Test func encodesAnEmptyForm() async throws {
        try await expect("--b--\r\n") { _ in }
    }

    @Test func encodesTexts() async throws {
        let wanted = """
            --b\r
            Content-Disposition: form-data; name="name"\r
            \r
            Ada ü\r
            --b\r
            Content-Disposition: form-data; name="empty"\r
            \r
            \r
            --b\r
            Content-Disposition: form-data; name="name"\r
            \r
            line\nbreaks\rstay\r
            --b--\r

            """
        try await expect(wanted) { form in
            form.append("Ada ü", withName: "name")
            form.append("", withName: "empty")
            form.append("line\nbreaks\rstay", withName: "name")
        }
    }

    /// Parity: AF-multipart-data, AF-multipart-length
    @Test func encodesBytes() async throws {
        let wanted = """
            --b\r
            Content-Disposition: form-data; name="plain"\r
            \r
            1\r
            --b\r
            Content-Disposition: form-data; name="named"; filename="a.png"\r
            \r
            2\r
            --b\r
            Content-Disposition: form-data; name="typed"\r
            Content-Type: text/plain; charset=utf-8\r
            \r
            3\r
            --b\r
            Content-Disposition: form-data; name="both"; filename="a.png"\r
            Content-Type: image/png\r
            \r
            4\r
            --b\r
            Content-Disposition: form-data; name="untyped"; filename=""\r
            \r
            5\r
            --b--\r

            """
        try await expect(wanted) { form in
            form.append(Data("1".utf8), withName: "plain")
            form.append(Data("2".utf8), withName: "named", fileName: "a.png")
            try form.append(Data("3".utf8), withName: "typed", mimeType: "text/plain; charset=utf-8")
            try form.append(Data("4".utf8), withName: "both", fileName: "a.png", mimeType: "image/png")
            try form.append(Data("x5y".utf8)[1..<2], withName: "untyped", fileName: "", mimeType: nil)
        }
    }

    /// Parity: AF-multipart-file, AF-multipart-file-name, AF-multipart-mime, AF-multipart-file-typed
    /// Parity: AF-multipart-encode, AFN-multipart-mime
    @Test func encodesFiles() async throws {
        let text = try scratch.write(Data("text".utf8), to: "a file \"ü\".TXT")
        let bare = try scratch.write(Data(), to: "bare")
        let wanted = """
            --b\r
            Content-Disposition: form-data; name="text"; filename="a file %22ü%22.TXT"\r
            Content-Type: text/plain\r
            \r
            text\r
            --b\r
            Content-Disposition: form-data; name="bare"; filename="bare"\r
            Content-Type: application/octet-stream\r
            \r
            \r
            --b\r
            Content-Disposition: form-data; name="renamed"; filename="b.png"\r
            Content-Type: text/plain\r
            \r
            text\r
            --b\r
            Content-Disposition: form-data; name="typed"; filename="a file %22ü%22.TXT"\r
            Content-Type: text/csv\r
            \r
            text\r
            --b\r
            Content-Disposition: form-data; name="cut"; filename="cut"\r
            \r
            ex\r
            --b--\r

            """
        try await expect(wanted) { form in
            try form.append(text, withName: "text")
            try form.append(bare, withName: "bare")
            try form.append(text, withName: "renamed", fileName: "b.png")
            try form.append(text, withName: "typed", mimeType: "text/csv")
            try form.append(.file(text, range: 1..<3), withName: "cut", fileName: "cut")
        }
    }

    /// Parity: AF-multipart-stream, AF-multipart-length, AF-multipart-encode
    @Test(arguments: [Int64(5), nil]) func encodesStreams(length: Int64?) async throws {
        let wanted = """
            --b\r
            Content-Disposition: form-data; name="stream"; filename="s.bin"\r
            Content-Type: application/octet-stream\r
            \r
            abcde\r
            --b\r
            Content-Disposition: form-data; name="bare"\r
            \r
            abcde\r
            --b--\r

            """
        try await expect(wanted, isKnownLength: length != nil) { form in
            try form.append(
                withLength: length,
                name: "stream",
                fileName: "s.bin",
                mimeType: "application/octet-stream"
            ) { chunks(["ab", "", "cde"]) }
            try form.append(.replayable(length: length) { chunks(["abcde"]) }, withName: "bare")
        }
    }

    /// Parity: AF-multipart-headers
    @Test func encodesPartsOfOtherTypes() async throws {
        let wanted = """
            --b\r
            Content-Type: application/json\r
            Content-ID: <1>\r
            \r
            {}\r
            --b\r
            \r
            no fields\r
            --b--\r

            """
        try await expect(wanted, subtype: "related") { form in
            let identifier = try #require(HTTPField.Name("Content-ID"))
            try form.append(.string("{}"), fields: [.contentType: "application/json", identifier: "<1>"])
            try form.append(.string("no fields"), fields: [:])
        }
    }

    @Test func encodesNestedForms() async throws {
        var inner = try MultipartFormData(subtype: "mixed", boundary: "inner")
        inner.append("x", withName: "y")
        var outer = try MultipartFormData(boundary: "outer")
        try outer.append(inner.makeBody(), withName: "inner", mimeType: inner.contentType)
        let read = try ReadMultipart(try await outer.encode(), boundary: "outer")
        let content = try #require(read.parts.first?.content)
        #expect(try ReadMultipart(content, boundary: "inner").parts.map(\.content) == [Data("x".utf8)])
    }

    @Test func hasValueSemantics() throws {
        var form = MultipartFormData()
        form.append("a", withName: "a")
        var copy = form
        copy.append("b", withName: "b")
        #expect(form.parts.count == 1)
        #expect(copy.parts.count == 2)
        #expect(copy.boundary == form.boundary)
    }

    @Test func revealsNothingOfItsParts() throws {
        var form = try MultipartFormData(boundary: "b")
        form.append("secret", withName: "password")
        #expect("\(form)" == "multipart/form-data, parts: 1, \(form.contentLength ?? 0) bytes")
        try form.append(chunks([]), withLength: nil, name: "more")
        #expect("\(form)" == "multipart/form-data, parts: 2, length unknown")
    }

    @Test(arguments: [[Int64.max], [.max - 100, 100], [.max / 2, .max / 2, 10]] as [[Int64]])
    func hasNoLengthOnOverflow(lengths: [Int64]) throws {
        var form = MultipartFormData()
        for length in lengths { try form.append(chunks([]), withLength: length, name: "endless") }
        #expect(form.contentLength == nil)
        #expect(try form.makeBody().length == nil)
    }

    // MARK: Unreadable files

    /// Parity: AF-multipart-part-error, AF-error-multipart
    @Test func rejectsUnreadableFiles() async throws {
        let web = try #require(URL(string: "https://h/f.png"))
        for url in [scratch.url, scratch.url("missing"), web, URL(filePath: "/dev/null")] {
            var form = MultipartFormData()
            let error = #expect(throws: ApusError.self) { try form.append(url, withName: "photo") }
            #expect(error?.code == .fileUnreadable)
            #expect(error?.detail.hasPrefix("the part 'photo': '") == true)
            let path = url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString
            #expect(error?.detail.contains("'\(path)'") == true)
            #expect(error?.fileURL?.path == url.path)
            #expect(form.parts.isEmpty)
        }
    }

    /// Disabled for the superuser, which can read all files.
    @Test(.enabled(if: getuid() != 0)) func rejectsAFileWithoutReadPermission() throws {
        let url = try scratch.write(Data("x".utf8), to: "closed")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: url.path(percentEncoded: false))
        var form = MultipartFormData()
        let error = #expect(throws: ApusError.self) { try form.append(url, withName: "photo") }
        #expect(error?.code == .fileUnreadable)
    }
}
