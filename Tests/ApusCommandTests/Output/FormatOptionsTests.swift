import Testing

@testable import ApusCommand

@Suite struct FormatOptionsTests {
    private func read(_ arguments: String...) throws -> Invocation {
        guard case .invocation(let invocation) = try Invocation.read(arguments + ["example.org"]) else {
            throw CommandFault("a text was shown instead")
        }
        return invocation
    }

    @Test func keepsOrderAndFormatsByDefault() throws {
        #expect(try read("-v").formatOptions == FormatOptions())
        #expect(try read("--unsorted").formatOptions == FormatOptions())
    }

    @Test func sortsEverythingOrTheGivenKinds() throws {
        let sorted = try read("--sorted").formatOptions
        #expect(sorted.sortsKeys && sorted.sortsFields)
        #expect(try read("--sorted", "--unsorted").formatOptions == FormatOptions())
        let keys = try read("--format-options", "headers.sort:false", "--sorted").formatOptions
        #expect(keys.sortsKeys && !keys.sortsFields)
    }

    @Test func acceptsSeveralLists() throws {
        let options = try read(
            "--format-options",
            "json.indent:2,JSON.SORT_KEYS:True",
            "--format-options=xml.indent:0,xml.format:false",
            "--format-options=json.format:false,json.indent:8"
        ).formatOptions
        var expected = FormatOptions()
        expected.jsonIndentation = 8
        expected.formatsJSON = false
        expected.sortsKeys = true
        expected.xmlIndentation = 0
        expected.formatsXML = false
        #expect(options == expected)
    }

    @Test(arguments: [
        ("", "needs option:value"), ("json.indent", "needs option:value"), ("json.indent:2,", "needs option:value"),
        ("json.indent:x", "'x' for json.indent"), ("json.indent:-1", "'-1' for json.indent"),
        ("xml.indent:41", "'41' for xml.indent"), ("json.indent:true", "'true' for json.indent"),
        ("json.format:2", "'2' for json.format"), ("headers.sort:yes", "'yes' for headers.sort"),
        ("json.color:true", "not 'json.color'"), ("json.indent:2:3", "'2:3' for json.indent"),
    ])
    func reportsErrorsInAList(list: String, expected: String) {
        let fault = #expect(throws: CommandFault.self) { try read("--format-options", list) }
        #expect(fault?.sentence.contains(expected) == true, "\(fault?.sentence ?? "")")
    }

    @Test func readsResponseOverrides() throws {
        #expect(try read("--response-mime", "Text/XML").responseOverride.mediaType == "text/xml")
        #expect(try read("--response-charset=ISO-8859-1").responseOverride.charset == "iso-8859-1")
        for wrong in ["json", "a/b/c", "/", "text/", "text/x ml", ""] {
            let fault = #expect(throws: CommandFault.self) { try read("--response-mime", wrong) }
            #expect(fault?.sentence.contains("'\(wrong)'") == true)
        }
        for label in ["gbk", "Shift-JIS", "KOI8-R", "latin1", "utf-16", "windows-1258"] {
            #expect(try read("--response-charset", label).responseOverride.charset == label.lowercased())
        }
        let fault = #expect(throws: CommandFault.self) { try read("--response-charset", "klingon") }
        #expect(fault?.sentence.contains("utf-8") == true && fault?.sentence.contains("'klingon'") == true)
    }
}
