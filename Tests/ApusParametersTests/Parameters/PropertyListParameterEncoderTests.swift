internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct PropertyListParameterEncoderTests {
    private struct User: Codable, Equatable {
        var name = "Ada <&> 🦅"
        var born = Date(timeIntervalSince1970: 0)
        var key = Data([0, 255])
    }

    @Test(arguments: [
        (PropertyListParameterEncoder.default, "<?xml"), (PropertyListParameterEncoder.binary, "bplist00"),
    ])
    func putsAPropertyListIntoTheBody(encoder: PropertyListParameterEncoder, beginning: String) throws {
        let request = try encoder.encode(User(), into: RequestMessage("http://h/?a=b", method: .put))
        #expect(try request.sentBytes.starts(with: beginning.utf8))
        #expect(try PropertyListDecoder().decode(User.self, from: request.sentBytes) == User())
        #expect(request.fields[values: .contentType] == ["application/x-plist"])
        #expect(request.target.path == "/?a=b")
    }

    @Test func acceptsACustomEncoder() throws {
        let own = PropertyListEncoder()
        own.outputFormat = .xml
        let request = try PropertyListParameterEncoder(encoder: own)
            .encode(["a": 1], into: RequestMessage("http://h/", method: .post))
        #expect(try request.sentString.contains("<integer>1</integer>"))
    }

    @Test func reportsValuesThatCanNotBeEncoded() throws {
        let request = try RequestMessage("http://h/", method: .post)
        let root = try refusal { try PropertyListParameterEncoder.default.encode(5, into: request) }
        #expect(root.code == .parameterEncodingFailed)
        #expect(root.detail.hasPrefix("the value at the root can't be encoded: "))
        let own = try refusal {
            try PropertyListParameterEncoder.default.encode(["a": Encoding { _ in throw Fault() }], into: request)
        }
        #expect(own.underlying is Fault)
    }
}
