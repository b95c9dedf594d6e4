internal import Apus
internal import Foundation
internal import Testing

/// Writes test cases for Python's parsers. Scripts/support/interop/parsers.py compares the results.
@Suite(.enabled(if: !CaseFolder.path.isEmpty, "Scripts/interop names the folder"), .timeLimit(.minutes(2)))
struct ParserCasesTests {
    @Test func writesForms() throws {
        var hostile = Hostile(seed: 1)
        let encoder = JSONEncoder()
        let lines = try (0..<2500).map { number in
            try encoder.encode(WrittenForm(FormCase(&hostile), number: number))
        }
        try CaseFolder.write(lines, to: "forms.ndjson")
    }

    /// Writes test cases for http.cookiejar. Scripts/support/interop/cookies.py compares the results.
    @Test func writesCookies() throws {
        var hostile = Hostile(seed: 3)
        let encoder = JSONEncoder()
        let lines = try (0..<5000).map { number in try encoder.encode(CookieCase(&hostile, number: number)) }
        try CaseFolder.write(lines, to: "cookies.ndjson")
    }

    @Test func writesMultipartForms() async throws {
        var hostile = Hostile(seed: 2)
        let encoder = JSONEncoder()
        var rejectedCount = 0
        let lines = try await CaseFolder.withTemporary { folder in
            var lines: [Data] = []
            while lines.count < 2000 {
                let multipart = try MultipartCase(&hostile, folder: folder)
                if multipart.isRejected {
                    rejectedCount += 1
                    let error = await #expect(throws: ApusError.self) { try await multipart.form.encode() }
                    #expect(error?.code == .multipartEncodingFailed)
                    continue
                }
                let written = try await WrittenMultipart(multipart, number: lines.count)
                if let length = multipart.form.contentLength { #expect(length == Int64(written.body.count)) }
                lines.append(try encoder.encode(written))
            }
            return lines
        }
        #expect(rejectedCount > 0)
        try CaseFolder.write(lines, to: "multipart.ndjson")
    }
}
