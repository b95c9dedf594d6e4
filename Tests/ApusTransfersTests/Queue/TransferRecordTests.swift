internal import ApusCore
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferRecordTests {
    @Test func decodesItsOwnOutput() throws {
        for record in try RecordSamples.all() + RecordSamples.uploads() {
            let data = try JSONEncoder().encode(record)
            #expect(try JSONDecoder().decode(TransferRecord.self, from: data) == record)
        }
    }

    @Test func separatesRequests() throws {
        let records = try RecordSamples.all()
        #expect(records.count(where: \.isAddition) == 2)
        #expect(records.count(where: \.isRequest) == 5)
        #expect(try RecordSamples.uploads().map(\.isRequest) == [true, false, false, false, false])
        #expect(try RecordSamples.uploads().allSatisfy { $0.transferID == TransferID(rawValue: "3") })
    }

    /// The format of the files, which later versions must read.
    @Test func keepsItsFormat() throws {
        let transfer = try Transfer(
            "http://h.example/a",
            to: URL(filePath: "/tmp/a"),
            id: TransferID(rawValue: "1"),
            fields: ["X-Tag": "b"],
            priority: .high,
            retryLimit: 2
        )
        let line = try RecordLine.bytes(of: .added(transfer))
        let text =
            #"{"event":"added","transfer":{"fields":[["X-Tag","b"]],"id":"1","kind":"download","path":"/tmp/a","#
            + #""priority":10,"retryLimit":2,"url":"http://h.example/a"}}"#
        #expect(line == RecordSamples.line(text))
    }

    @Test func keepsTheFormatOfUploads() throws {
        let text =
            #"{"event":"added","transfer":{"id":"1","kind":"upload","path":"/tmp/1","retryLimit":5,"upload":"#
            + #"{"beginsAnew":"ifIdempotent","method":"PUT","modified":[1,2],"size":3},"url":"http://h.example/1"}}"#
        #expect(try RecordLine.bytes(of: .added(RecordSamples.upload("1", method: "PUT"))) == RecordSamples.line(text))
        let id = TransferID(rawValue: "1")
        let response = TransferResponse(status: 201, body: Data("done".utf8))
        let uploaded = try RecordLine.bytes(of: .uploaded(id, response))
        #expect(
            uploaded
                == RecordSamples.line(#"{"event":"uploaded","id":"1","response":{"body":"ZG9uZQ==","status":201}}"#)
        )
        #expect(try RecordLine.bytes(of: .uploading(id, nil)) == RecordSamples.line(#"{"event":"uploading","id":"1"}"#))
    }

    /// A transfer of version 1 has none of the later members.
    @Test func readsATransferOfTheFirstVersion() throws {
        let text =
            #"{"event":"added","transfer":{"id":"1","kind":"download","path":"/tmp/a","retryLimit":2,"#
            + #""url":"http://h.example/a"}}"#
        let record = try JSONDecoder().decode(TransferRecord.self, from: Data(text.utf8))
        let transfer = try Transfer(
            "http://h.example/a",
            to: URL(filePath: "/tmp/a"),
            id: TransferID(rawValue: "1"),
            retryLimit: 2
        )
        #expect(record == .added(transfer))
    }
}
