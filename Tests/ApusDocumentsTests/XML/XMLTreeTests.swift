internal import ApusCore
internal import ApusDocuments
internal import Foundation
internal import Testing

@Suite struct XMLTreeTests {
    private func tree(_ document: String) throws -> XMLTree {
        try XMLTree(Data(document.utf8))
    }

    private let users = """
        <?xml version="1.0"?>
        <!-- all of them -->
        <users xmlns="urn:users" xmlns:x="urn:x" count="2">
            <user id="1" x:id="one"><name>Ada <b>L.</b></name></user>
            <user id="2"><name><![CDATA[<Grace>]]> &amp; co<!-- no text --></name></user>
            <x:user id="3"/>
        </users>
        <?done?>
        """

    @Test func keepsTheWholeDocument() throws {
        let tree = try tree(users)
        #expect(tree.declaration == XMLDeclaration(encoding: nil))
        #expect(tree.documentType == nil)
        #expect(tree.prolog == [.comment(" all of them ")])
        #expect(tree.epilog == [.processingInstruction(target: "done", data: nil)])
        #expect(tree.root.name == XMLName("users", namespace: "urn:users"))
        #expect(tree.root.elements.count == 3)
        #expect(tree.root.children.count == 7)
        #expect(try self.tree("<!DOCTYPE a><a/>").documentType == XMLDocumentType(name: "a"))
    }

    @Test func findsElementsByTheirNames() throws {
        let root = try tree(users).root
        #expect(root["user"]?.attribute("id") == "1")
        #expect(root["x:user"]?.attribute("id") == "3")
        #expect(root["y:user"] == nil)
        #expect(root["name"] == nil)
        #expect(root.elements(named: "user").count == 3)
        #expect(root.elements(named: "x:user").count == 1)
        #expect(root.elements(named: "user", in: "urn:users").count == 2)
        #expect(root.elements(named: "user", in: "urn:x").count == 1)
        #expect(try tree(users)["user"] == root["user"])
    }

    @Test(arguments: [
        ("user/name", 2), ("user/name/b", 1), ("*/name", 2), ("*/*", 2), ("/user/", 3), ("", 1), ("name", 0),
        ("user/nobody/name", 0), ("x:user", 1),
    ])
    func followsPaths(path: String, count: Int) throws {
        #expect(try tree(users).root.elements(at: path).count == count)
        #expect(try (tree(users).root.element(at: path) == nil) == (count == 0))
    }

    @Test func findsAttributesByTheirNames() throws {
        let user = try #require(try tree(users).root["user"])
        #expect(user.attribute("id") == "1")
        #expect(user.attribute("x:id") == "one")
        #expect(user.attribute("id", in: "urn:x") == "one")
        #expect(user.attribute("ID") == nil)
        #expect(try tree("<a p:id='1' id='2'/>").root.attribute("id") == "2")
        #expect(try tree("<a p:id='1'/>").root.attribute("id") == "1")
    }

    @Test func collectsTheTextOfAnElement() throws {
        let names = try tree(users).root.elements(at: "user/name").map(\.text)
        #expect(names == ["Ada L.", "<Grace> & co"])
    }

    @Test(arguments: [
        ("a", nil, "a"), ("p:a", "p", "a"), (":a", nil, ":a"), ("a:", nil, "a:"), ("p:a:b", nil, "p:a:b"),
        ("", nil, ""),
    ])
    func splitsNames(qualified: String, prefix: String?, local: String) {
        #expect(XMLName(qualified).prefix == prefix)
        #expect(XMLName(qualified).local == local)
    }

    // MARK: Writing

    @Test func roundTripsADocument() throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!-- a -->
            <!DOCTYPE r PUBLIC "p" 's"t'>
            <r xmlns:x="u" b="1" a="&lt;&amp;&quot;&#10;&#9;'"><x:i/>a &lt; b &gt; c &amp; d&#13;<![CDATA[<>]]><?p d?><?q?></r>
            <!-- z -->
            """
        #expect(try tree(document).description == document)
    }

    @Test func declaresUTF8() throws {
        let latin = "<?xml version='1.0' encoding='ISO-8859-1'?><a>ü</a>"
        let tree = try XMLTree(#require(latin.data(using: .isoLatin1)))
        #expect(tree.description == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>ü</a>")
        #expect(tree.root.description == "<a>ü</a>")
    }

    /// Values that would end the construct around them or are not valid XML.
    @Test func escapesHostileValues() throws {
        let hostile = "</a>]]>--><b x='\"'>?>&lt;\u{0}\u{1B}\u{FFFE}\r\n\t-"
        let element = XMLTree.Element(
            XMLName("n <n>"),
            attributes: [XMLAttribute(XMLName("1 x='"), hostile), XMLAttribute("y", hostile)],
            children: [
                .text(hostile), .cdata(hostile), .comment(hostile), .comment("---"),
                .processingInstruction(target: "xml", data: hostile), .processingInstruction(target: "", data: nil),
                .element(XMLTree.Element("")),
            ]
        )
        var tree = XMLTree(root: element)
        tree.documentType = XMLDocumentType(name: "n n", publicID: "a'\"b", systemID: "a\">[<!ENTITY x 'y'>]")
        let reread = try self.tree(tree.description)
        #expect(reread.root.name == "n__n_")
        #expect(reread.root.attributes.map(\.name) == ["__x__", "y"])
        let readable = hostile.replacing(/[\u{0}\u{1B}\u{FFFE}]/, with: "\u{FFFD}")
        #expect(reread.root.attribute("y") == readable)
        #expect(reread.root.children.first == .text(readable))
        #expect(reread.root.elements.map(\.name) == ["_"])
        #expect(reread.root.elements[0].elements.isEmpty)
        #expect(reread.documentType?.name == "n_n")
    }

    @Test func writesATreeBuiltInCode() {
        let tree = XMLTree(
            root: XMLTree.Element(
                "order",
                attributes: [XMLAttribute("id", "7")],
                children: [
                    .element(XMLTree.Element("item", children: [.text("a & b")])), .element(XMLTree.Element("end")),
                ]
            )
        )
        #expect(
            "\(tree)" == """
                <?xml version="1.0" encoding="UTF-8"?>
                <order id="7"><item>a &amp; b</item><end/></order>
                """
        )
    }
}
