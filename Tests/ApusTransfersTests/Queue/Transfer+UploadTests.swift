internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferUploadTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write("0123456789", to: "a b")
    }

    private func failure(
        _ file: URL,
        to url: String = "http://h.example/",
        method: HTTPRequest.Method = .put
    )
        -> ApusError?
    {
        do throws(ApusError) {
            _ = try Transfer(uploading: file, to: url, method: method)
            return nil
        } catch {
            return error
        }
    }

    private func mayBeginAnew(
        _ method: HTTPRequest.Method,
        _ rule: ResumableUpload.Policy.Beginning,
        _ fields: RequestFields = [:]
    ) throws -> Bool {
        try Transfer(uploading: file, to: "http://h/", method: method, fields: fields, beginsAnew: rule).mayBeginAnew
    }

    @Test func keepsItsParts() throws {
        let transfer = try Transfer(
            uploading: file,
            to: "http://h.example/a",
            method: .post,
            fields: ["X-Tag": "1"],
            resumption: .v7,
            beginsAnew: .always,
            priority: .high,
            retryLimit: 3
        )
        #expect(transfer.kind == .upload)
        #expect(transfer.destination.path(percentEncoded: false) == file.path(percentEncoded: false))
        #expect(transfer.upload?.method == .post)
        #expect(transfer.upload?.byteCount == 10)
        #expect(transfer.upload?.resumption == .v7)
        #expect(transfer.expectedDigest == nil && transfer.segments == nil && transfer.trust == nil)
        let data = try JSONEncoder().encode(transfer)
        #expect(try JSONDecoder().decode(Transfer.self, from: data) == transfer)
    }

    @Test func keepsItsSegments() throws {
        let segments = DownloadSegments(3, minimumBytes: 7)
        let transfer = try Transfer("http://h.example/", to: file, segments: segments)
        let read = try JSONDecoder().decode(Transfer.self, from: JSONEncoder().encode(transfer))
        #expect(read == transfer)
        #expect(read.segments == segments)
    }

    @Test func refusesInvalidParts() {
        #expect(failure(file) == nil)
        #expect(failure(folder.url("missing"))?.code == .fileUnreadable)
        #expect(failure(folder.url)?.code == .fileUnreadable)
        #expect(failure(file, to: "/relative")?.code == .invalidURL)
        #expect(failure(file, method: .get)?.code == .invalidRequest)
        #expect(failure(file, method: .post) == nil)
        #expect(failure(file, method: .patch) == nil)
    }

    @Test(arguments: [
        #"{"id":"1","kind":"upload","url":"http://h/","path":"/a"}"#,
        #"{"id":"1","kind":"upload","url":"http://h/","path":"/a","upload":{}}"#,
        #"{"id":"1","kind":"upload","url":"http://h/","path":"/a","upload":{"method":"PUT","beginsAnew":"x","size":1,"#
            + #""modified":[1,2]}}"#,
        #"{"id":"1","kind":"upload","url":"http://h/","path":"/a","upload":{"method":"PUT","beginsAnew":"always","#
            + #""size":1,"modified":[1]}}"#,
        #"{"id":"1","kind":"download","url":"http://h/","path":"/a","segments":[1]}"#,
    ])
    func readsNoDamagedTransfer(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Transfer.self, from: Data(text.utf8)) }
    }

    @Test func mayBeginAnewIfThatIsSafe() throws {
        #expect(try mayBeginAnew(.put, .ifIdempotent))
        #expect(try !mayBeginAnew(.post, .ifIdempotent))
        #expect(try mayBeginAnew(.post, .ifIdempotent, ["Idempotency-Key": "7"]))
        #expect(try mayBeginAnew(.post, .always))
        #expect(try !mayBeginAnew(.put, .ifUnsent))
        #expect(try Transfer("http://h.example/", to: file).mayBeginAnew)
    }

    @Test func sendsTheSameFileOnly() throws {
        let transfer = try Transfer(uploading: file, to: "http://h.example/")
        let upload = try #require(transfer.upload)
        let body = try upload.body(of: file)
        #expect(body.length == 10)
        // A change during a request is noticed too, also during that of a part.
        for part in [body, try #require(body.slice(2..<5))] {
            guard case .file(let content) = part.storage else {
                Issue.record("no file")
                continue
            }
            #expect(content.isWatched)
        }
        try folder.write("0123456789a", to: "a b")
        #expect {
            try upload.body(of: file)
        } throws: { error in
            (error as? ApusError)?.code == .fileChanged
        }
        // The size is the same, but the time is not.
        try folder.write("9876543210", to: "a b")
        let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1)]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: file.path(percentEncoded: false))
        #expect {
            try upload.body(of: file)
        } throws: { error in
            (error as? ApusError)?.code == .fileChanged
        }
    }

    @Test func showsNoSecrets() throws {
        let transfer = try Transfer(
            uploading: file,
            to: "https://ada:sesame@h.example/?token=sesame",
            fields: ["Authorization": "Bearer sesame"]
        )
        for text in ["\(transfer)", String(reflecting: transfer)] { #expect(!text.contains("sesame")) }
        #expect("\(transfer)".contains("a b to https://h.example"))
    }
}
