internal import ApusCore
internal import Foundation

@testable internal import ApusTransfers

/// Records of each kind.
enum RecordSamples {
    static let file = FileFingerprint(byteCount: 3, sha256: String(repeating: "0f", count: 32))

    static func transfer(_ id: String) throws(ApusError) -> Transfer {
        try Transfer(
            "http://h.example/\(id)?q=1",
            to: URL(filePath: "/tmp/a b/\(id)\n"),
            id: TransferID(rawValue: id),
            fields: ["X-Tag": "{\"ä\"}"]
        )
    }

    static func failed(_ count: Int, notBefore: Int64?) -> TransferRecord.FailedAttempt {
        TransferRecord.FailedAttempt(
            failureCount: count,
            notBefore: notBefore,
            failure: TransferFailure(ApusError(.connectFailed, "no route"))
        )
    }

    /// The records of two transfers, one of which was removed.
    static func all() throws(ApusError) -> [TransferRecord] {
        let (one, other) = (TransferID(rawValue: "1"), TransferID(rawValue: "2"))
        return [
            .log(version: 1), .added(try transfer("1")), .added(try transfer("2")), .started(one), .paused(one),
            .resumed(one), .started(one), .failed(one, failed(1, notBefore: 5)), .started(one), .placing(one, file),
            .finished(one, file), .started(other), .failed(other, failed(2, notBefore: nil)), .removed(other),
            .gone(other),
        ]
    }

    /// Returns an upload of a file that need not exist.
    static func upload(_ id: String, method: String = "POST", path: String? = nil) throws -> Transfer {
        let text = """
            {"id":"\(id)","kind":"upload","url":"http://h.example/\(id)","path":"\(path ?? "/tmp/\(id)")",
            "retryLimit":5,"upload":{"method":"\(method)","beginsAnew":"ifIdempotent","size":3,"modified":[1,2]}}
            """
        return try JSONDecoder().decode(Transfer.self, from: Data(text.utf8))
    }

    /// Returns the state of an upload whose server has confirmed some bytes.
    static func state(
        _ offset: Int64 = 4,
        at resource: String = "http://h.example/uploads/1"
    ) -> ResumableUpload.State {
        ResumableUpload.State(
            resource: resource,
            length: 10,
            offset: offset,
            expiry: Date(timeIntervalSince1970: 1_000_000.5),
            interopVersion: .v6,
            file: nil
        )
    }

    /// The records of an upload.
    static func uploads() throws -> [TransferRecord] {
        let id = TransferID(rawValue: "3")
        return [
            .added(try upload("3")), .started(id), .uploading(id, state()), .uploading(id, nil),
            .uploaded(id, TransferResponse(status: 201, body: Data([0, 255]))),
        ]
    }

    /// Returns the lines of records.
    static func bytes(_ records: [TransferRecord]) throws(ApusError) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records { bytes += try RecordLine.bytes(of: record) }
        return bytes
    }

    /// Returns a line with any text.
    static func line(_ text: String) -> [UInt8] {
        let length = text.utf8.count.padded(to: 8, radix: 16)
        let checksum = RecordChecksum.of(text.utf8).padded(to: 8, radix: 16)
        return Array("\(length) \(checksum) \(text)\n".utf8)
    }
}
