import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

@Suite struct JSONKeyOrderTests {
    private func sorted(_ text: String) -> String? {
        JSONKeyOrder.sorted(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#), (#"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#), ("[3,1,2]", "[3,1,2]"),
        (#" { "b" : 1.10 , "a":"x" } "#, #" {"a":"x","b" : 1.10} "#),
        (#"{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":{}}"#, #"{"a":{},"b":{"c":[{"e":2,"f":1}],"d":1}}"#),
        (#"[{"b":1,"a":2},{"d":1,"c":2}]"#, #"[{"a":2,"b":1},{"c":2,"d":1}]"#),
        // Members with the same name keep their order, however the name is escaped.
        (#"{"b":1,"a":3,"\u0061":1,"a":2}"#, #"{"a":3,"\u0061":1,"a":2,"b":1}"#),
        // Sorted by Unicode scalar values, not alphabetically or by the escaped text.
        (
            #"{"ä":1,"a":2,"B":3,"\ud83d\ude80":4,"\uffee":5,"":6}"#,
            #"{"":6,"B":3,"a":2,"ä":1,"\uffee":5,"\ud83d\ude80":4}"#
        ),
        // A name that is not valid text is sorted by its escaped text.
        (#"{"a":1,"\ud800":2}"#, #"{"\ud800":2,"a":1}"#), ("1", "1"),
    ])
    func sortsOnlyMembers(text: String, expected: String) {
        #expect(sorted(text) == expected)
    }

    @Test(arguments: ["", "{", #"{"b":1,"a"}"#, "{}{}"]) func rejectsInvalidJSON(text: String) {
        #expect(sorted(text) == nil)
    }

    /// Compares random JSON values with Foundation's reading of them.
    @Test func keepsTheMeaning() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            let text = Self.value(depth: 4, &generator)
            let once = try #require(sorted(text))
            let (before, after) = try (Self.meaning(of: text), Self.meaning(of: once))
            #expect(before == after, "\(text)")
            #expect(sorted(once) == once)
            #expect(once.utf8.count == text.utf8.count)
        }
    }

    private static func meaning(of text: String) throws -> NSObject? {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? NSObject
    }

    private static func value(depth: Int, _ generator: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...4, using: &generator)
        switch depth == 0 ? 2 : Int.random(in: 0...2, using: &generator) {
        case 0:
            let members = (0..<count).map { "\"\($0 * 7 % 5)\":\(value(depth: depth - 1, &generator))" }
            return "{\(members.shuffled(using: &generator).joined(separator: ","))}"
        case 1: return "[\((0..<count).map { _ in value(depth: depth - 1, &generator) }.joined(separator: ","))]"
        default: return ["1", "\"}\"", "\"{\"", "null"].randomElement(using: &generator) ?? "1"
        }
    }
}
