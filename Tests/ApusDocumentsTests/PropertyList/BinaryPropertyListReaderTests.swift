internal import ApusCore
internal import ApusDocuments
internal import ApusTestServer
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct BinaryPropertyListReaderTests {
    private func value(_ list: BinaryList) throws -> PropertyListValue {
        try PropertyListValue(list.data)
    }

    private func complaint(_ data: Data, limits: PropertyListLimits = PropertyListLimits()) throws -> String {
        let error = #expect(throws: ApusError.self) { try PropertyListValue(data, limits: limits) }
        #expect(error?.code == .decodingFailed)
        return try #require(error).detail
    }

    static let objects: [([UInt8], PropertyListValue)] = [
        ([0x08], false), ([0x09], true),
        ([0x10, 0xFF], 255), ([0x11, 0x80, 0], 32_768), ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295),
        ([0x13] + BinaryList.big(Int64(-5)), -5), ([0x13] + BinaryList.big(Int64.min), .integer(Int128(Int64.min))),
        ([0x14] + BinaryList.big(Int128(UInt64.max)), .integer(Int128(UInt64.max))),
        ([0x14] + BinaryList.big(Int128(-1)), -1),
        ([0x22] + BinaryList.big(Float(1.5).bitPattern), 1.5), ([0x23] + BinaryList.big(Double(-0.1).bitPattern), -0.1),
        ([0x33] + BinaryList.big(Double(86_400).bitPattern), .date(Date(timeIntervalSinceReferenceDate: 86_400))),
        ([0x42, 1, 2], .data(Data([1, 2]))), ([0x40], .data(Data())),
        ([0x52, 0x61, 0x62], "ab"), ([0x50], ""), ([0x62, 0x20, 0xAC, 0, 0x61], "€a"),
        ([0x62, 0xD8, 0x3D, 0xDE, 0x00], "😀"), ([0x61, 0xD8, 0x3D], "\u{FFFD}"),
        ([0x5F, 0x10, 3, 0x61, 0x62, 0x63], "abc"),
        ([0x80, 7], ["CF$UID": 7]), ([0x81, 1, 0], ["CF$UID": 256]),
        ([0xA0], []), ([0xD0], [:]),
    ]

    @Test(arguments: objects)
    func readsEveryKindOfObject(object: [UInt8], expected: PropertyListValue) throws {
        #expect(try value(BinaryList(object)) == expected)
    }

    @Test func readsTheOutputOfFoundation() throws {
        let list: [String: Any] = [
            "array": [1, 2.5, true, "x", Data([1])] as [Any], "ü": "€😀",
            "date": Date(timeIntervalSinceReferenceDate: 5),
            "many": Array(0..<300), "nested": ["a": ["b": "c"]], "large": NSNumber(value: UInt64.max), "negative": -1,
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let expected: PropertyListValue = [
            "array": [1, 2.5, true, "x", .data(Data([1]))], "ü": "€😀",
            "date": .date(Date(timeIntervalSinceReferenceDate: 5)),
            "many": .array((0..<300).map { .integer($0) }), "nested": ["a": ["b": "c"]],
            "large": .integer(Int128(UInt64.max)), "negative": -1,
        ]
        #expect(try PropertyListValue(data) == expected)
    }

    @Test func readsDataThatIsASliceOfAnother() throws {
        let whole = Data([1, 2, 3]) + BinaryList([0x51, 0x61]).data
        #expect(try PropertyListValue(whole.dropFirst(3)) == "a")
    }

    // MARK: Invalid lists

    static let wrong: [(BinaryList, String)] = [
        (BinaryList([0x00]), "an unknown kind: 0"), (BinaryList([0x0F]), "an unknown kind: f"),
        (BinaryList([0x15] + Array(repeating: 0, count: 32)), "an unknown kind: 15"),
        (BinaryList([0x24] + Array(repeating: 0, count: 16)), "an unknown kind: 24"),
        (BinaryList([0xC1, 0, 1], [0x09]), "an unknown kind: c1"),
        (BinaryList([0x33] + BinaryList.big(Double.nan.bitPattern)), "one of its dates is not a number"),
        (BinaryList([0x33] + BinaryList.big(Double.infinity.bitPattern)), "one of its dates is not a number"),
        (BinaryList([0x14] + BinaryList.big(Int128(UInt64.max) + 1)), "one of its numbers is too large"),
        (BinaryList([0x51, 0xFF]), "one of its ASCII strings is not ASCII"),
        (BinaryList([0x55, 0x61]), "ends outside the object range"),
        (BinaryList([0x12, 1]), "ends outside the object range"),
        (BinaryList([0xA2, 0, 1]), "ends outside the object range"),
        (BinaryList([0x4F]), "ends outside the object range"),
        (BinaryList([0x4F, 0x13] + BinaryList.big(Int64.max)), "larger than the whole"),
        (BinaryList([0x4F, 0x13] + BinaryList.big(Int64(-1))), "larger than the whole"),
        (BinaryList([0xAF, 0x33] + BinaryList.big(Int64(1))), "larger than the whole"),
        (BinaryList([0xA1, 0, 9]), "refers to an object that does not exist"),
        (BinaryList([0xA1, 0, 0]), "contains itself"),
        (BinaryList([0xA1, 0, 1], [0xA1, 0, 2], [0xA1, 0, 0]), "contains itself"),
        (BinaryList([0xD1, 0, 1, 0, 0], [0x51, 0x61]), "contains itself"),
        (BinaryList([0xD1, 0, 1, 0, 1], [0x10, 1]), "one of its names is not a string"),
        (
            BinaryList([0xD2, 0, 1, 0, 2, 0, 3, 0, 3], [0x61, 0x00, 0xE9], [0x62, 0x00, 0x65, 0x03, 0x01], [0x09]),
            "occurs twice in two forms"
        ),
        (BinaryList([0xD2, 0, 1, 0, 1, 0, 2, 0, 2], [0x51, 0x61], [0x09]), "the key 'a' occurs twice"),
    ]

    @Test(arguments: wrong)
    func rejectsInvalidObjects(list: BinaryList, expected: String) throws {
        let complaint = try complaint(list.data)
        #expect(complaint.hasPrefix("the property list is invalid: "))
        #expect(complaint.contains(expected), "\(complaint)")
    }

    @Test func rejectsTrailersThatContradictTheList() throws {
        let changes: [(inout BinaryList) -> Void] = [
            { $0.top = 1 }, { $0.count = 0 }, { $0.count = 2 }, { $0.count = .max }, { $0.count = 1 << 62 },
            { $0.tableOffset = 0 }, { $0.tableOffset = 8 }, { $0.tableOffset = 1 << 40 }, { $0.tableOffset = .max },
            { $0.offsetSize = 0 }, { $0.offsetSize = 9 }, { $0.offsetSize = 8 }, { $0.offsetSize = 1 },
            { $0.referenceSize = 0 }, { $0.referenceSize = 255 },
        ]
        for change in changes {
            var list = BinaryList([0x09])
            change(&list)
            _ = try complaint(list.data)
        }
        _ = try complaint(Data("bplist00".utf8))
        _ = try complaint(Data("bplist00".utf8) + Data(count: 100))
        _ = try complaint(Data("bplist99".utf8) + BinaryList([0x09]).data.dropFirst(8))
    }

    // MARK: Limits

    /// Thirty arrays that each refer twice to the next are a billion values in three hundred bytes.
    @Test func countsValuesOncePerReference() throws {
        let doubling = (0..<30).map { BinaryList.array([$0 + 1, $0 + 1]) } + [[0x09]]
        #expect(try complaint(BinaryList(objects: doubling).data).contains("more than 1000000 values"))
        let few = (0..<10).map { BinaryList.array([$0 + 1, $0 + 1]) } + [[0x09]]
        #expect(try value(BinaryList(objects: few)).array?.count == 2)
        let wide = (0..<6).map { BinaryList.array(Array(repeating: $0 + 1, count: 5000)) } + [[0x09]]
        #expect(try complaint(BinaryList(objects: wide).data).contains("more than 1000000 values"))
    }

    @Test func countsBytesOfStringsOncePerReference() throws {
        let text = BinaryList.string(String(repeating: "x", count: 1000))
        let list = BinaryList(objects: [BinaryList.array(Array(repeating: 1, count: 100)), text])
        let limits = PropertyListLimits(maximumBytes: 100_000)
        #expect(try PropertyListValue(list.data, limits: limits).array?.count == 100)
        let more = BinaryList(objects: [BinaryList.array(Array(repeating: 1, count: 101)), text])
        let expected = "exceeds a limit: its strings and data have more than 100000 bytes"
        #expect(try complaint(more.data, limits: limits).contains(expected))
    }

    @Test(arguments: [(128, true), (129, false), (60_000, false)])
    func limitsTheDepth(depth: Int, isAcceptable: Bool) throws {
        let list = BinaryList(objects: (1..<depth).map { BinaryList.array([$0]) } + [[0xA0]])
        if isAcceptable {
            _ = try value(list)
        } else {
            #expect(try complaint(list.data).contains("nested deeper than 128"))
        }
    }

    /// An array that was read before counts with its depth wherever it is referred to.
    @Test func addsTheDepthOfSharedValues() throws {
        let chain = (3..<70).map { BinaryList.array([$0]) } + [[0xA0]]
        let below = (0..<66).map { BinaryList.array([70 + $0 + 1]) }
        let objects = [BinaryList.array([2, 70])] + [[0x09]] + chain + below + [BinaryList.array([2])]
        #expect(try complaint(BinaryList(objects: objects).data).contains("nested deeper than 128"))
        let limits = PropertyListLimits(maximumDepth: 256)
        _ = try PropertyListValue(BinaryList(objects: objects).data, limits: limits)
    }

    @Test func limitsTheDepthEvenIfUnlimited() throws {
        let list = BinaryList(objects: (1..<1000).map { BinaryList.array([$0]) } + [[0xA0]])
        let limits = PropertyListLimits(maximumDepth: .max)
        #expect(try complaint(list.data, limits: limits).contains("nested deeper than 256"))
    }

    @Test func limitsBytesAndObjects() throws {
        let data = BinaryList([0xA0]).data
        _ = try PropertyListValue(data, limits: PropertyListLimits(maximumBytes: data.count))
        let limits = PropertyListLimits(maximumBytes: data.count - 1)
        #expect(try complaint(data, limits: limits).contains("PropertyListLimits.maximumBytes"))
        let many = BinaryList(objects: Array(repeating: [0x09], count: 5)).data
        #expect(try complaint(many, limits: PropertyListLimits(maximumValues: 4)).contains("it has 5 objects"))
    }

    // MARK: Random input

    @Test(arguments: [1, 2, 3, 4])
    func survivesMutatedInput(seed: UInt64) throws {
        let value: PropertyListValue = [
            "a": [1, 2.5, true, "x", "ü€😀", .data(Data([1, 2, 3])), .date(Date(timeIntervalSinceReferenceDate: 1))],
            "d": ["e": ["f": [1, 1, 1, 1]]], "long": .string(String(repeating: "z", count: 300)), "n": -5,
        ]
        let originals = [
            try value.data(format: .binary), BinaryList([0xA1, 0, 1], [0xA1, 0, 2], [0x80, 5]).data,
            BinaryList(BinaryList.dictionary([(1, 2)]), [0x51, 0x61], [0x09]).data,
        ]
        var mutator = Mutator(seed: seed, originals: originals, tokens: ["\u{1}", "bplist00", "\u{7F}\u{7F}"])
        for _ in 0..<2_000 {
            do {
                let value = try PropertyListValue(mutator.next(), formats: [.binary])
                let reread = try PropertyListValue(value.data(format: .binary))
                #expect(reread == value || value.containsNaN)
            } catch {
                #expect(error.code == .decodingFailed)
            }
        }
    }

    @Test func survivesTruncatedInput() throws {
        let value: PropertyListValue = ["a": [1, 2.5, "x", "ü"], "b": .data(Data(count: 20))]
        let data = try value.data(format: .binary)
        for end in data.indices { #expect(throws: ApusError.self) { try PropertyListValue(data[..<end]) } }
    }
}

extension PropertyListValue {
    /// Whether the value contains a NaN, which is not equal to itself.
    fileprivate var containsNaN: Bool {
        switch self {
        case .real(let real): real.isNaN
        case .array(let array): array.contains(where: \.containsNaN)
        case .dictionary(let dictionary): dictionary.values.contains(where: \.containsNaN)
        default: false
        }
    }
}
