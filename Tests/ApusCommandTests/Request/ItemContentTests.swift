import Foundation
import Testing

@testable import ApusCommand

@Suite struct ItemContentTests {
    private let files = Files(workingDirectory: "/nowhere", home: nil)

    private func content(
        _ arguments: [String],
        _ style: ContentStyle = .json(isExplicit: false),
        files: Files? = nil
    ) throws -> ItemContent {
        try ItemContent(
            arguments.map { argument in try RequestItem(argument) },
            style: style,
            files: files ?? self.files
        )
    }

    private func text(_ content: ItemContent) -> String? {
        guard case .bytes(let bytes) = content.content else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func isEmptyWithoutBodyItems() throws {
        #expect(try content(["A:b", "q==r"]).content == .none)
        #expect(try content([], .form).content == .none)
    }

    @Test func encodesForms() throws {
        let form = try content(["a=b c", "ü=&=+", "n:=1.50", "t:=true", "a=2"], .form)
        #expect(text(form) == "a=b+c&%C3%BC=%26%3D%2B&n=1.50&t=true&a=2")
    }

    @Test func keepsRawJSONUnchanged() throws {
        #expect(try text(content([#"a:= {"x" : 1.10} "#])) == #"{"a": {"x" : 1.10}}"#)
    }

    @Test(arguments: ["a:=", "a:=x", "a:={", "a:=1 2"])
    func rejectsInvalidJSON(argument: String) {
        let fault = #expect(throws: CommandFault.self) { try content([argument]) }
        #expect(fault?.sentence.contains(argument) == true)
    }

    @Test func rejectsItemsThatAFormCannotContain() {
        #expect(throws: CommandFault.self) { try content(["a:={}"], .form) }
        #expect(throws: CommandFault.self) { try content(["@b"], .multipart) }
        #expect(throws: CommandFault.self) { try content(["a@"], .form) }
        #expect(throws: CommandFault.self) { try content(["a@b;type="], .form) }
        #expect(throws: CommandFault.self) { try content(["@b", "a@c"], .form) }
        #expect(throws: CommandFault.self) { try content(["a@b"]) }
        #expect(throws: CommandFault.self) { try content(["@a", "b=c"]) }
        #expect(throws: CommandFault.self) { try content(["@a", "@b"]) }
    }

    @Test func createsPartsOfMultipartForms() throws {
        let parts = [
            FormPart(name: "a", value: .text("b")), FormPart(name: "n", value: .text("1.50")),
            FormPart(name: "f", value: .file("/nowhere/x/y.PNG", mediaType: "image/png")),
            FormPart(name: "f", value: .file("/z", mediaType: "application/octet-stream")),
            FormPart(name: "", value: .text("=")),
        ]
        let arguments = ["a=b", "n:=1.50", "f@x/y.PNG", "f@/z", "=\\="]
        #expect(try content(arguments, .form).content == .parts(parts))
        #expect(try content(arguments, .multipart).content == .parts(parts))
        #expect(try content(["a=b"], .multipart).content == .parts([parts[0]]))
        #expect(try content(["X:y"], .multipart).content == .none)
        let typed = try content(["f@x.png;type=text/plain; charset=utf-8"], .form).content
        #expect(
            typed
                == .parts([FormPart(name: "f", value: .file("/nowhere/x.png", mediaType: "text/plain; charset=utf-8"))])
        )
    }

    @Test func sendsAFileWithTheTypeOfItsName() throws {
        let notes = try content(["@notes.JSON"])
        #expect(notes.content == .file("/nowhere/notes.JSON") && notes.mediaType == "application/json")
        let file = try content(["@a/notes.html"])
        #expect(file.content == .file("/nowhere/a/notes.html"))
        #expect(file.mediaType == "text/html")
        #expect(try content(["@x"]).mediaType == nil)
        #expect(try content(["@x.bin;type=image/png"]).mediaType == "image/png")
        #expect(try content(["@x.bin;type=image/png"]).content == .file("/nowhere/x.bin"))
    }

    @Test func readsValuesFromFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("line\n".utf8).write(to: folder.appendingPathComponent("text"))
        try Data("[1,\n2]\n".utf8).write(to: folder.appendingPathComponent("json"))
        try Data([0xFF]).write(to: folder.appendingPathComponent("binary"))
        let files = Files(workingDirectory: folder.path, home: folder.path)
        #expect(try text(content(["a=@text", "b:=@json"], files: files)) == "{\"a\": \"line\\n\", \"b\": [1,\n2]}")
        #expect(try text(content(["a=@~/text"], files: files)) == "{\"a\": \"line\\n\"}")
        #expect(throws: CommandFault.self) { try content(["a=@binary"], files: files) }
        #expect(throws: CommandFault.self) { try content(["a=@missing"], files: files) }
        #expect(throws: CommandFault.self) { try content(["a:=@text"], files: files) }
    }
}
