internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore
@testable internal import ApusDiagnostics

/// Checks each secret and each ordinary name in every output that may show its value.
@Suite(.timeLimit(.minutes(5))) struct SecretsEverywhereTests {
    private static let secret = "hunter2"

    private func field(_ name: String) throws -> HTTPField {
        HTTPField(name: try #require(HTTPField.Name(name)), value: Self.secret)
    }

    /// Returns all outputs that describe a request and a response with this field.
    private func descriptions(_ field: HTTPField) async throws -> [(String, String)] {
        let recorder = HARRecorder()
        let test = TestSession(configuring: { $0.recorder = recorder }) { _ in
            var response = MockResponse(body: "ok")
            response.fields.append(field)
            return response
        }
        var fields: HTTPFields = [:]
        fields.append(field)
        let request = test.session.request("http://h/", fields: RequestFields(fields))
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
        for (output, text) in try await descriptions(field) {
            #expect(!text.contains(Self.secret), "\(output): \(text)")
        }
    }

    @Test(arguments: SecretNames.harmlessFields) func showsTheValueOfAnOrdinaryField(name: String) async throws {
        let field = try field(name)
        #expect(Redaction.value(of: field) == Self.secret)
        let shown = try await descriptions(field).filter { $0.1.contains(Self.secret) }.map(\.0)
        #expect(shown.contains("debug description") && shown.contains("archive"))
        #expect(shown.contains("curl") || name == "Content-Type")
    }

    /// Returns bodies with a value of that name, one for each format that has names.
    private static func bodies(_ name: String) -> [String] {
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

    @Test(arguments: SecretNames.parameters) func hidesASecretValueInABody(name: String) throws {
        for body in Self.bodies(name) {
            let shown = Redaction.content(body)
            #expect(!shown.contains(Self.secret), "\(body) → \(shown)")
            #expect(Redaction.content(shown) == shown, "\(body) → \(shown)")
        }
        let view = HARView(includesSecrets: false)
        #expect(view.query("a=1&\(name)=\(Self.secret)") == "a=1&\(name)=…")
        #expect(view.pairs("\(name)=\(Self.secret)").map(\.value) == [Redaction.mark])
        #expect(view.value(Self.secret, named: name) == Redaction.mark)
        #expect(
            view.url("http://h/a;\(name)=\(Self.secret)/b?\(name)=\(Self.secret)") == "http://h/a;\(name)=…/b?\(name)=…"
        )
    }

    @Test(arguments: SecretNames.harmless.filter { !$0.isEmpty }) func showsAnOrdinaryValueInABody(
        name: String
    ) throws {
        for body in Self.bodies(name) { #expect(Redaction.content(body) == body) }
        let view = HARView(includesSecrets: false)
        let url = "http://h/a;\(name)=\(Self.secret)/b?\(name)=\(Self.secret)"
        #expect(view.url(url) == url)
        #expect(view.pairs("\(name)=\(Self.secret)").map(\.value) == [Self.secret])
    }
}
