internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct PartialFileRecordTests {
    private static let records = [
        PartialFileRecord(url: "https://h/file?key=\"ü\"", validator: .entityTag("\"v/1\""), total: 12),
        PartialFileRecord(url: "http://h/", validator: .lastModified("Sun, 06 Nov 1994 08:49:37 GMT"), total: .max),
        PartialFileRecord(url: "http://h/", validator: nil, total: nil),
        PartialFileRecord(url: "http://h/", validator: nil, total: 0),
        PartialFileRecord(url: "http://h/", validator: .entityTag("\"s\""), total: 20, segments: segments),
        PartialFileRecord(url: "http://h/", validator: .entityTag("\"s\""), total: 20, segments: ReceivedRanges()),
    ]

    private static var segments: ReceivedRanges {
        var segments = ReceivedRanges(first: 5)
        segments.insert(10..<20)
        return segments
    }

    private func json(_ record: PartialFileRecord) throws -> Data {
        try JSONEncoder().encode(record)
    }

    private func decoded(_ data: Data) -> PartialFileRecord? {
        try? JSONDecoder().decode(PartialFileRecord.self, from: data)
    }

    @Test func belongsToItsURL() {
        var record = PartialFileRecord(url: "http://h/a?sig=1", validator: .entityTag("\"1\""), total: nil)
        for url in ["http://h/a?sig=1", "http://h/a?sig=2", "http://h/a"] { #expect(record.belongs(to: url), "\(url)") }
        for url in ["http://h/b?sig=1", "http://i/a?sig=1", "https://h/a?sig=1", "http://h/a/?sig=1", ""] {
            #expect(!record.belongs(to: url), "\(url)")
        }
        record.validator = nil
        #expect(record.belongs(to: "http://h/a?sig=1"))
        #expect(!record.belongs(to: "http://h/a?sig=2"))
    }

    @Test(arguments: records) func survivesItsJSON(record: PartialFileRecord) throws {
        #expect(decoded(try json(record)) == record)
    }

    @Test(arguments: records) func survivesItsFile(record: PartialFileRecord) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            #expect(PartialFileRecord.read(at: file.path) == nil)
            try record.write(to: file.path)
            #expect(PartialFileRecord.read(at: file.path) == record)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try names(in: folder) == ["file.part.json"])
        }
    }

    /// A kill during the writing leaves a file, under the same name each time.
    @Test func replacesWhatAKillHasLeft() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            let temporary = PartialFileRecord.temporaryPath(of: file.path)
            try makeFile(URL(filePath: temporary), "left")
            #expect(URL(filePath: temporary).deletingLastPathComponent().path == folder.path)
            try Self.records[0].write(to: file.path)
            #expect(PartialFileRecord.read(at: file.path) == Self.records[0])
            #expect(try names(in: folder) == ["file.part.json"])
        }
    }

    @Test func hasReadableJSON() throws {
        let data = try json(Self.records[0])
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object.keys.sorted() == ["checksum", "entityTag", "total", "url", "version"])
        #expect(object["version"] as? Int == 1)
        #expect(object["entityTag"] as? String == "\"v/1\"")
        #expect((object["checksum"] as? String)?.count == 16)
    }

    @Test func hasReadableSegments() throws {
        let object = try #require(try JSONSerialization.jsonObject(with: json(Self.records[4])) as? [String: Any])
        #expect(object["segments"] as? [Int] == [0, 5, 10, 20])
    }

    /// A record of a version without segments.
    @Test func readsAnOldRecord() {
        let text = #"{"version":1,"url":"http://h/file","entityTag":"\"1\"","total":6,"checksum":"bf051ebfd40e2460"}"#
        #expect(decoded(Data(text.utf8)) == PartialFileRecord.numbered(1))
    }

    /// Changes each bit of the file, and cuts it off at each byte.
    @Test(arguments: records) func noticesDamage(record: PartialFileRecord) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            try record.write(to: file.path)
            let data = try Data(contentsOf: file)
            for index in data.indices {
                for bit in 0..<8 {
                    var damaged = data
                    damaged[index] ^= 1 << bit
                    try damaged.write(to: file)
                    let found = PartialFileRecord.read(at: file.path)
                    #expect(found == nil, "bit \(bit) of byte \(index)")
                }
                try data.prefix(upTo: index).write(to: file)
                let found = PartialFileRecord.read(at: file.path)
                #expect(found == nil, "cut off at byte \(index)")
            }
        }
    }

    /// Members are not interchangeable, although they are hashed together.
    @Test func noticesMovedMembers() throws {
        let text = String(decoding: try json(Self.records[1]), as: UTF8.self)
        #expect(decoded(Data(text.utf8)) != nil)
        #expect(decoded(Data(text.replacingOccurrences(of: "lastModified", with: "entityTag").utf8)) == nil)
        #expect(decoded(Data(text.replacingOccurrences(of: "\"version\":1", with: "\"version\":2").utf8)) == nil)
        #expect(decoded(Data(text.replacingOccurrences(of: "lastModified", with: "other").utf8)) == nil)
    }

    @Test(arguments: [
        PartialFileRecord(url: "", validator: nil, total: nil),
        PartialFileRecord(url: "http://h/", validator: nil, total: -1),
        PartialFileRecord(url: "http://h/", validator: .entityTag("\"a\r\nX: b\""), total: nil),
        PartialFileRecord(url: "http://h/", validator: .lastModified("\u{7F}"), total: nil),
        PartialFileRecord(url: "http://h/", validator: nil, total: 19, segments: segments),
    ])
    func ignoresValuesOfNoResponse(record: PartialFileRecord) throws {
        #expect(decoded(try json(record)) == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "not JSON", "{\"version\":1}", "{\"version\":99}", "{\"url\":\"http://h/\"}",
        "\u{0}\u{0}\u{0}",
    ])
    func ignoresForeignFiles(content: String) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            try makeFile(file, content)
            #expect(PartialFileRecord.read(at: file.path) == nil)
        }
    }

    @Test func ignoresLargeFiles() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            try Self.records[0].write(to: file.path)
            let data = try Data(contentsOf: file)
            // White space after the value is no damage.
            try (data + Data(repeating: 0x20, count: PartialFileRecord.limitBytes - data.count)).write(to: file)
            #expect(PartialFileRecord.read(at: file.path) == Self.records[0])
            try (data + Data(repeating: 0x20, count: PartialFileRecord.limitBytes - data.count + 1)).write(to: file)
            #expect(PartialFileRecord.read(at: file.path) == nil)
        }
    }

    @Test func writesNoFileThatWouldBeTooLarge() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            var record = Self.records[2]
            try record.write(to: file.path)
            let rest = PartialFileRecord.limitBytes - (try Data(contentsOf: file)).count
            record.url += String(repeating: "x", count: rest)
            try record.write(to: file.path)
            #expect(PartialFileRecord.read(at: file.path) == record)
            try FileManager.default.removeItem(at: file)
            record.url += "x"
            try record.write(to: file.path)
            #expect(try names(in: folder) == [])
        }
    }

    @Test func followsNoLink() async throws {
        try await inFolder { folder in
            let target = folder.appending(path: "target")
            let link = folder.appending(path: "link")
            try Self.records[0].write(to: target.path)
            let old = try Data(contentsOf: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            #expect(PartialFileRecord.read(at: target.path) != nil)
            #expect(PartialFileRecord.read(at: link.path) == nil)
            try Self.records[1].write(to: link.path)
            #expect(PartialFileRecord.read(at: link.path) == Self.records[1])
            #expect(try Data(contentsOf: target) == old)
        }
    }

    @Test func reportsAFolderInItsPlace() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file.part.json")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            #expect(PartialFileRecord.read(at: file.path) == nil)
            let error = #expect(throws: ApusError.self) { try Self.records[0].write(to: file.path) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.hasPrefix("'\(file.path)' can't be written: ") == true)
            #expect(try names(in: folder) == ["file.part.json"])
        }
    }
}
