internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Each secret's name in each place that a value may be shown from, and each ordinary name beside it.
@Suite(.timeLimit(.minutes(5))) struct SecretsEverywhereTests {
    private static let secret = "hunter2"

    private func field(_ name: String) throws -> HTTPField {
        HTTPField(name: try #require(HTTPField.Name(name)), value: Self.secret)
    }

    /// All texts that a request and its answer with this field are described by.
    private func descriptions(_ field: HTTPField) async throws -> [(String, String)] {
        let recorder = HARRecorder()
        let test = TestSession(configuring: { $0.recorder = recorder }) { _ in
            var response = MockResponse(body: "ok")
            response.fields.append(field)
            return response
        }
        var fields: HTTPFields = [:]
        fields.append(field)
        let request = test.session.request("http://h/", fields: fields)
        let response = await request.serializingString().response
        let curl = try await request.cURLDescription(includesSecrets: false)
        try await assertNothingLeft(test.session)
        return [
            ("value", Redaction.value(of: field)),
            ("fields", "\(Redaction.fields(fields))"),
            ("description", "\(response)"),
            ("debug description", response.debugDescription),
            ("log", test.monitor.events.map { "\($0.event)" }.joined(separator: "\n")),
            ("curl", curl),
            ("archive", String(decoding: try recorder.archive.data(), as: UTF8.self)),
        ]
    }

    @Test(arguments: SecretNames.fields) func hidesTheValueOfAField(name: String) async throws {
        let field = try field(name)
        #expect(Redaction.value(of: field) == Redaction.mark)
        for (place, text) in try await descriptions(field) {
            #expect(!text.contains(Self.secret), "\(place): \(text)")
        }
    }

    @Test(arguments: SecretNames.harmlessFields) func showsTheValueOfAnOrdinaryField(name: String) async throws {
        let field = try field(name)
        #expect(Redaction.value(of: field) == Self.secret)
        let shown = try await descriptions(field).filter { $0.1.contains(Self.secret) }.map(\.0)
        #expect(shown.contains("debug description") && shown.contains("archive"))
        #expect(shown.contains("curl") || name == "Content-Type")
    }

    /// A content with a value of that name, in each format that has names.
    private static func contents(_ name: String) -> [String] {
        let isElement = name.first?.isNumber != true
        return [
            #"{"a": 1, "\#(name)": "\#(secret)", "b": 2}"#, #"{"\#(name)":["\#(secret)"]}"#,
            #"{'\#(name)': '\#(secret)'}"#, #"{\#(name): "\#(secret)"}"#, #"{"x":"{\"\#(name)\":\"\#(secret)\"}"}"#,
            #"[{"name": "\#(name)", "value": "\#(secret)"}]"#, #"[{"value": "\#(secret)", "name": "\#(name)"}]"#,
            #"[["\#(name)", "\#(secret)"], ["a", "b"]]"#,
            "a=1&\(name)=\(secret)&b=2", "\(name): \(secret)\na: b\n", "- \(name): \(secret)", "\(name) = \(secret)",
            #"<input name="\#(name)" value="\#(secret)">"#, #"<meta content='\#(secret)' name='\#(name)'/>"#,
            #"<e k="\#(name)">\#(secret)</e>"#, #"<x \#(name)="\#(secret)"/>"#,
            "<key>\(name)</key><string>\(secret)</string>",
        ] + (isElement ? ["<\(name)>\(secret)</\(name)>"] : [])
    }

    @Test(arguments: SecretNames.parameters) func hidesAValueInAContent(name: String) throws {
        for content in Self.contents(name) {
            let shown = Redaction.content(content)
            #expect(!shown.contains(Self.secret), "\(content) → \(shown)")
            #expect(Redaction.content(shown) == shown, "\(content) → \(shown)")
        }
        let view = HARView(includesSecrets: false)
        #expect(view.query("a=1&\(name)=\(Self.secret)") == "a=1&\(name)=…")
        #expect(view.pairs("\(name)=\(Self.secret)").map(\.value) == [Redaction.mark])
        #expect(view.value(Self.secret, named: name) == Redaction.mark)
        #expect(
            view.url("http://h/a;\(name)=\(Self.secret)/b?\(name)=\(Self.secret)") == "http://h/a;\(name)=…/b?\(name)=…"
        )
    }

    @Test(arguments: SecretNames.harmless.filter { !$0.isEmpty }) func showsAnOrdinaryValueInAContent(
        name: String
    ) throws {
        for content in Self.contents(name) { #expect(Redaction.content(content) == content) }
        let view = HARView(includesSecrets: false)
        let url = "http://h/a;\(name)=\(Self.secret)/b?\(name)=\(Self.secret)"
        #expect(view.url(url) == url)
        #expect(view.pairs("\(name)=\(Self.secret)").map(\.value) == [Self.secret])
    }
}
