internal import Apus
internal import Testing

/// All drawings of the tree of error codes are equal, and contain every code.
@Suite struct ErrorTreeTests {
    @Test func drawsTheTreeOfTheSource() throws {
        let source = try CodeTree(inSource: "Sources/ApusCore/Errors/ApusError.swift")
        let article = try CodeTree(inDocument: "Sources/Apus/Apus.docc/HandlingErrors.md")
        #expect(!source.names.isEmpty)
        #expect(source.names == article.names)
    }

    @Test func drawsEveryCode() throws {
        let declared = try Repository.text("Sources/ApusCore/Errors/ApusError+Code.swift")
            .matches(of: #/static let \w+ = Code\("(\w+)", \.(\w+),/#)
            .map { (code: String($0.1), phase: String($0.2)) }
        let drawn = try CodeTree(inSource: "Sources/ApusCore/Errors/ApusError.swift")
        #expect(!declared.isEmpty)
        for (code, phase) in declared { #expect(drawn.phases[code] == phase) }
        #expect(drawn.phases.count == declared.count)
    }
}

/// The tree of error codes as drawn in a text.
private struct CodeTree {
    /// All names and lines of the drawing, in order.
    let names: [String]
    /// The phase of each code.
    let phases: [String: String]

    init(inSource path: String) throws {
        self.init(try Repository.text(path).replacing("/// ", with: ""))
    }

    init(inDocument path: String) throws {
        self.init(try Repository.text(path))
    }

    private init(_ text: String) {
        let tree = text.lines.drop { $0 != "ApusError" }.prefix { !$0.hasPrefix("```") }.dropFirst()
        var names: [String] = []
        var phases: [String: String] = [:]
        var phase = ""
        for line in tree {
            // Text in parentheses is not part of the tree.
            var words = line.replacing(#/\([^)]*\)/#, with: "").split(separator: " ").map(String.init)
            if words.first == "├─" || words.first == "└─" {
                phase = words.count > 1 ? words[1] : ""
                names += words.prefix(2)
                words.removeFirst(min(2, words.count))
            } else {
                words.removeAll { $0 == "│" }
            }
            for code in words { phases[code] = phase }
            names += words
        }
        self.names = names
        self.phases = phases
    }
}
