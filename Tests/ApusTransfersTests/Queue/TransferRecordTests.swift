internal import ApusCore
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferRecordTests {
    @Test func decodesItsOwnOutput() throws {
        for record in try RecordSamples.all() {
            let data = try JSONEncoder().encode(record)
            #expect(try JSONDecoder().decode(TransferRecord.self, from: data) == record)
        }
    }

    @Test func separatesRequests() throws {
        let records = try RecordSamples.all()
        #expect(records.count(where: \.isAddition) == 2)
        #expect(records.count(where: \.isRequest) == 5)
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
}
