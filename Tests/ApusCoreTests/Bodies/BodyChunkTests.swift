internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct BodyChunkTests {
    @Test func convertsFromAndToDataAndStrings() {
        #expect(Data(BodyChunk([1, 2, 3])) == Data([1, 2, 3]))
        #expect(String(BodyChunk("ü")) == "ü")
        #expect(String(BodyChunk([0xFF])) == "\u{FFFD}")
        var data = Data([0])
        data.append(BodyChunk([1, 2]))
        data.append(BodyChunk([]))
        #expect(data == Data([0, 1, 2]))
    }

    @Test func reportsItsSize() {
        #expect(BodyChunk("ab").count == 2)
        #expect(!BodyChunk("ab").isEmpty)
        #expect(BodyChunk("").isEmpty)
        #expect("\(BodyChunk("secret"))" == "BodyChunk(6 bytes)")
    }

    @Test(arguments: [(-1, ""), (0, ""), (1, "a"), (3, "abc"), (4, "abc"), (Int.max, "abc")])
    func returnsAPrefix(count: Int, expected: String) {
        #expect(String(BodyChunk("abc").prefix(count)) == expected)
    }

    @Test(arguments: [(-1, "abc"), (0, "abc"), (1, "bc"), (3, ""), (4, ""), (Int.max, "")])
    func dropsAPrefix(count: Int, expected: String) {
        #expect(String(BodyChunk("abc").dropFirst(count)) == expected)
    }

    @Test func keepsOnlyInitializedBytes() {
        let chunk = BodyChunk(unsafeUninitializedCapacity: 8) { memory in
            memory[0] = 7
            memory[1] = 8
            return 2
        }
        #expect(chunk == BodyChunk([7, 8]))
        #expect(BodyChunk(unsafeUninitializedCapacity: 0) { _ in 0 }.isEmpty)
    }

    @Test func exposesItsBytes() {
        #expect(BodyChunk([1, 2, 3]).withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } } == 6)
    }
}
