internal import ApusCore
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct RecordListTests {
    @Test func readsItsOwnOutput() throws {
        let records = try RecordSamples.all()
        let bytes = try RecordSamples.bytes(records)
        let list = RecordList(bytes)
        #expect(list.records == records)
        #expect(list.damagedLines == [])
        #expect(list.completeByteCount == bytes.count)
        #expect(bytes.count { $0 == RecordLine.terminator } == records.count)
    }

    @Test func readsNothing() {
        let list = RecordList([])
        #expect(list.records.isEmpty && list.damagedLines.isEmpty && list.completeByteCount == 0)
    }

    /// Cut at each byte, the list has the complete records, and no fault.
    @Test func cutsOffAnIncompleteRecord() throws {
        let records = try RecordSamples.all()
        let bytes = try RecordSamples.bytes(records)
        var complete = 0
        var failures: [Int] = []
        for count in 0...bytes.count {
            if count > 0, bytes[count - 1] == RecordLine.terminator { complete += 1 }
            let list = RecordList(Array(bytes.prefix(count)))
            let isRight = list.records == Array(records.prefix(complete)) && list.damagedLines.isEmpty
            if !isRight || list.completeByteCount > count { failures.append(count) }
        }
        #expect(failures == [])
        #expect(complete == records.count)
    }

    /// With any byte changed, at most its own record is lost, and the loss is noticed.
    @Test(arguments: [0x01, 0x20, 0x80, 0xFF] as [UInt8]) func losesOnlyADamagedRecord(mask: UInt8) throws {
        let records = try RecordSamples.all()
        let bytes = try RecordSamples.bytes(records)
        var failures: [Int] = []
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= mask
            if !loses(atMostOneOf: records, damaged) { failures.append(index) }
        }
        #expect(failures == [])
    }

    /// A line feed in the middle of a record does not hide the next one.
    @Test(arguments: [0x0A, 0x00, 0x7B, 0x30] as [UInt8]) func losesOnlyARecordWithAnotherByte(byte: UInt8) throws {
        let records = try RecordSamples.all()
        let bytes = try RecordSamples.bytes(records)
        var failures: [Int] = []
        for index in bytes.indices where bytes[index] != byte {
            var damaged = bytes
            damaged[index] = byte
            if !loses(atMostOneOf: records, damaged) { failures.append(index) }
        }
        #expect(failures == [])
    }

    private func loses(atMostOneOf records: [TransferRecord], _ bytes: [UInt8]) -> Bool {
        let list = RecordList(bytes)
        if list.records == records { return list.damagedLines.isEmpty }
        guard list.records.count == records.count - 1, !list.damagedLines.isEmpty else { return false }
        // The records before and after the lost one.
        let lost = zip(records, list.records).prefix { $0 == $1 }.count
        var rest = records
        rest.remove(at: lost)
        return rest == list.records && list.damagedLines.first == lost + 1
    }

    @Test func losesOnlyARecordWithoutItsBeginning() throws {
        let records = try RecordSamples.all()
        let bytes = try RecordSamples.bytes(records)
        let list = RecordList(Array(bytes.dropFirst(3)))
        #expect(list.records == Array(records.dropFirst()))
        #expect(list.damagedLines == [1])
    }

    @Test(arguments: [
        "\n", "\n\n\n", "ffffffff 00000000 {}\n", "00000000 00000000 \n", "7fffffff 00000000 {}\n",
        "-0000001 00000000 {}\n", "00000002 00000000 {}\n", "00000002\n", "00000002 a3830348 {}", "\u{0}\u{0}\n",
    ])
    func readsNoRecord(text: String) {
        #expect(RecordList(Array(text.utf8)).records == [])
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"event":"dance","id":"1"}"#, #"{"event":"paused"}"#, #"{"event":"paused","id":1}"#,
        #"{"event":"added","transfer":{"id":"1","kind":"download","url":"http://h/","path":"a"}}"#,
        #"{"event":"added","transfer":{"id":"1","kind":"download","url":"http://h/","path":"/a","fields":[["a"]]}}"#,
        #"{"event":"added","transfer":{"id":"1","kind":"download","url":"http://h/","path":"/a","fields":[["","b"]]}}"#,
        #"{"event":"finished","id":"1"}"#, #"{"event":"log","version":"1"}"#,
    ])
    func reportsAnUnknownRecord(text: String) throws {
        let known = try RecordLine.bytes(of: .paused(TransferID(rawValue: "1")))
        let list = RecordList(RecordSamples.line(text) + known)
        #expect(list.records == [.paused(TransferID(rawValue: "1"))])
        #expect(list.damagedLines == [1])
    }

    @Test func ignoresUnknownMembers() {
        let list = RecordList(RecordSamples.line(#"{"event":"paused","id":"1","mood":"good"}"#))
        #expect(list.records == [.paused(TransferID(rawValue: "1"))])
    }

    @Test func readsAnyBytes() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789abcdef {}\"\n".utf8)
        for _ in 0..<300 {
            let bytes = (0..<200).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let list = RecordList(bytes)
            #expect(list.records.isEmpty && list.completeByteCount <= bytes.count)
        }
    }

    @Test func refusesALongRecord() throws {
        let name = String(repeating: "a", count: QueueLimits.recordBytes)
        let transfer = try Transfer("http://h.example/\(name)", to: URL(filePath: "/tmp/a"))
        #expect {
            try RecordLine.bytes(of: .added(transfer))
        } throws: { error in
            (error as? ApusError)?.code == .invalidRequest
        }
    }
}
