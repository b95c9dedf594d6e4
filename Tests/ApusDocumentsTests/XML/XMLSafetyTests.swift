internal import ApusCore
internal import ApusDocuments
internal import ApusTestServer
internal import Foundation
internal import Testing

/// Parses malicious documents.
@Suite(.timeLimit(.minutes(5)))
struct XMLSafetyTests {
    private func detail(_ document: String, limits: XMLLimits = XMLLimits()) throws -> String {
        let error = #expect(throws: ApusError.self) { try XMLTree(Data(document.utf8), limits: limits) }
        #expect(error?.code == .decodingFailed)
        return try #require(error).detail
    }

    // MARK: External entities

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'FILE'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'FILE'>]><a b='&x;'/>",
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'FILE'> %x;]><a/>",
        "<!DOCTYPE a [ %x; ]><a/>",
        "<!DOCTYPE a [<!ENTITY x PUBLIC 'p' 'FILE'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x 'text'>]><a/>",
        "<!DOCTYPE a SYSTEM 'FILE' [ <!ELEMENT a ANY> <!ENTITY x 'y'> ]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'FILE' NDATA n>]><a/>",
    ])
    func rejectsDocumentsThatDeclareEntities(document: String) throws {
        try withSecretFile { url in
            let detail = try detail(document.replacing("FILE", with: url.absoluteString))
            #expect(detail.hasPrefix("the XML is not supported at line 1"))
            #expect(detail.contains("entities are declared, which is not allowed"))
            #expect(!detail.contains("secret"))
        }
    }

    @Test(arguments: [
        "<!DOCTYPE a SYSTEM 'FILE'><a/>",
        "<!DOCTYPE a PUBLIC 'p' 'FILE'><a/>",
        "<a xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='FILE' parse='text'/></a>",
        "<a xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='u FILE'/>",
        "<?xml-stylesheet href='FILE'?><a/>",
        "<!DOCTYPE a SYSTEM 'FILE' [ <!ATTLIST a b CDATA 'FILE'> ]><a/>",
    ])
    func readsNoFilesThatADocumentNames(document: String) throws {
        try withSecretFile { url in
            let tree = try XMLTree(Data(document.replacing("FILE", with: url.absoluteString).utf8))
            #expect(tree.root.text == "")
            #expect(tree.root.attribute("b") == nil)
        }
    }

    @Test func ignoresDeclarationsOfAnExternalDocumentType() throws {
        try withSecretFile { url in
            let detail = try detail("<!DOCTYPE a SYSTEM '\(url.absoluteString)'><a>&x;</a>")
            #expect(detail.contains("the entity 'x' is unknown"))
        }
    }

    private func withSecretFile(_ body: (URL) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).dtd")
        try Data("<!ENTITY x 'secret'>".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url)
    }

    // MARK: Limits

    @Test func enforcesItsLimits() throws {
        let four = XMLLimits(maximumBytes: 100, maximumDepth: 4, maximumAttributes: 2, maximumNodes: 4)
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        _ = try XMLTree(Data(nested(4).utf8), limits: four)
        let deep = try detail(nested(5), limits: four)
        #expect(deep.contains("exceeds a limit at line 1, column 13: elements are nested deeper than 4"))
        _ = try XMLTree(Data("<a b='' c=''/>".utf8), limits: four)
        let wide = try detail("<a b='' c='' d=''/>", limits: four)
        #expect(wide.contains("exceeds a limit") && wide.contains("more than 2 attributes"))
        _ = try XMLTree(Data("<a>1<b/>2</a>".utf8), limits: four)
        let long = try detail("<a>1<b/>2<?c?></a>", limits: four)
        #expect(long.contains("exceeds a limit at line 1, column 15: it has more than 4 nodes"))
        let space = String(repeating: " ", count: 96)
        _ = try XMLTree(Data("<a/>\(space)".utf8), limits: four)
        #expect(try detail("<a/>\(space) ", limits: four).contains("101 bytes, but 100 are allowed"))
    }

    @Test func countsTheLastEventsToo() throws {
        let limits = XMLLimits(maximumNodes: 1)
        #expect(try detail("<a/><!-- -->", limits: limits).contains("more than 1 nodes"))
    }

    @Test func survivesAHundredThousandLevels() throws {
        let depth = 100_000
        let opening = String(repeating: "<a>", count: depth)
        #expect(try detail(opening).contains("nested deeper than 256"))
        // A tree has its own limit.
        #expect(try detail(opening, limits: XMLLimits(maximumDepth: .max)).contains("nested deeper than 256"))
        var parser = try XMLEventParser(
            Data((opening + String(repeating: "</a>", count: depth)).utf8),
            limits: XMLLimits(maximumDepth: depth)
        )
        var deepest = 0
        while try parser.next() != nil { deepest = max(deepest, parser.depth) }
        #expect(deepest == depth)
    }

    @Test func releasesADeepTreeOnASmallStack() async throws {
        let depth = XMLTree.deepestNesting
        let document = String(repeating: "<a b='c'>x", count: depth) + String(repeating: "</a>", count: depth)
        let length = await withCheckedContinuation { continuation in
            let thread = Thread {
                let tree = try? XMLTree(Data(document.utf8))
                continuation.resume(returning: tree.map { $0.description.utf8.count + $0.root.text.utf8.count } ?? 0)
            }
            thread.stackSize = 256 << 10
            thread.start()
        }
        #expect(length == document.utf8.count + depth)
    }

    /// Input that would take hours if the cost were quadratic in its length.
    @Test(arguments: [
        ("<a>", "<b xmlns:p='u'>", 2_000), ("<a ", "x ", 20_000), ("<a>", "&amp;", 20_000),
        ("<a>", "<![CDATA[", 20_000),
        ("<a>", "<!--", 20_000), ("<a>", "]", 20_000), ("<!DOCTYPE a [", "<!ELEMENT a ANY>", 20_000),
        ("<a>", "<", 20_000),
        ("", " ", 20_000), ("<a b='", "\n", 20_000), ("<a>", "&#", 20_000), ("<a>", "<b/>", 20_000),
    ])
    func staysFastForRepeatedInput(beginning: String, piece: String, count: Int) throws {
        let document = Data((beginning + String(repeating: piece, count: count)).utf8)
        #expect(throws: ApusError.self) {
            var parser = try XMLEventParser(document, limits: XMLLimits(maximumDepth: .max, maximumAttributes: .max))
            try parser.parse { _ in }
        }
    }

    @Test func comparesManyAttributesQuickly() throws {
        let attributes = (0..<20_000).map { "p:a\($0)=''" }.joined(separator: " ")
        let document = Data("<x xmlns:p='u' \(attributes)/>".utf8)
        let tree = try XMLTree(document, limits: XMLLimits(maximumAttributes: 20_001))
        #expect(tree.root.attributes.count == 20_001)
    }

    // MARK: Random input

    private static let originals = [
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE a PUBLIC "p" 's' [<!ELEMENT a (#PCDATA)><!-- x --><?y z?><!ATTLIST a b CDATA "c">]>
        <a x="1" y='2'><!-- c --><b/>text &amp; more &#65; &#x42;<![CDATA[ <raw> ]]]]>&gt;</a>
        <?pi data?>
        """,
        "<a xmlns=\"urn:a\" xmlns:b='urn:b'><b:c b:d=\"e\" f=\"g\th\ni\"/>\r\n\r<b:c></b:c></a>",
        "<ü ä=\"ö\">€😀\u{300}</ü>",
    ]

    private static let tokens = [
        "<", ">", "&", ";", "\"", "'", "=", "/", "!", "?", "--", "-->", "<!--", "]]>", "<![CDATA[", "&amp;", "&#0;",
        "&#x10FFFF;", "&x;", " ", "\n", "\r", ":", "xmlns", "<a>", "</a>", "<b/>", "<?xml version='1.0'?>",
        "<!DOCTYPE a",
        "[", "]", "<!ENTITY x 'y'>", "\u{FEFF}", "é", "\u{FFFE}", "encoding='UTF-16'", "encoding='ISO-8859-1'",
    ]

    @Test(arguments: [1, 2, 3, 4])
    func survivesMutatedInput(seed: UInt64) throws {
        let utf16 = Self.originals.map { Data([0xFF, 0xFE]) + ($0.data(using: .utf16LittleEndian) ?? Data()) }
        let originals = Self.originals.map { Data($0.utf8) } + utf16
        var mutator = Mutator(seed: seed, originals: originals, tokens: Self.tokens)
        var trees = 0
        for _ in 0..<1_500 {
            let document = mutator.next()
            do {
                let tree = try XMLTree(document)
                trees += 1
                // The text of a tree must parse to an equal tree.
                var reread = try XMLTree(Data(tree.description.utf8))
                reread.declaration = tree.declaration
                #expect(reread == tree, "\(document as NSData)")
            } catch {
                #expect(error.code == .decodingFailed)
            }
        }
        #expect(trees > 50)
    }

    @Test func survivesRandomBytes() {
        var random = SeededGenerator(seed: 5)
        for length in 0..<600 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: ApusError.self) { try XMLTree(Data(bytes)) }
        }
    }

    @Test func survivesTruncatedDocuments() throws {
        for original in Self.originals {
            let bytes = Data(original.utf8)
            for end in bytes.indices.dropLast(15) {
                #expect(throws: ApusError.self) { try XMLTree(bytes[..<end]) }
            }
        }
    }
}
