internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusParameters

@Suite struct MultipartBoundaryTests {
    /// Parity: AF-multipart-boundary, AFN-multipart-boundary
    @Test func isRandom() {
        let first = MultipartFormData().boundary
        #expect(first.wholeMatch(of: #/apus\.boundary\.[0-9a-f]{32}/#) != nil)
        #expect(first != MultipartFormData().boundary)
        #expect(MultipartFormData().contentType.hasPrefix("multipart/form-data; boundary=apus.boundary."))
    }

    @Test func comesFromItsGenerator() {
        struct Zeros: RandomNumberGenerator {
            func next() -> UInt64 { 0 }
        }
        var zeros = Zeros()
        #expect(MultipartFormData(using: &zeros).boundary == "apus.boundary.00000000000000000000000000000000")
        var (first, second) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
        #expect(MultipartFormData(using: &first).boundary == MultipartFormData(using: &second).boundary)
    }

    /// Parity: AF-multipart-boundary-custom
    @Test(arguments: [
        ("b", "b"), ("0aZ'+_-.", "0aZ'+_-."), ("a b", "\"a b\""), ("a(b)", "\"a(b)\""), ("a,b", "\"a,b\""),
        ("a/b", "\"a/b\""), ("a:b", "\"a:b\""), ("a=b", "\"a=b\""), ("a?b", "\"a?b\""), (" b", "\" b\""),
        (String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
    ])
    func isQuotedIfNecessary(boundary: String, parameter: String) throws {
        let form = try MultipartFormData(boundary: boundary)
        #expect(form.boundary == boundary)
        #expect(form.contentType == "multipart/form-data; boundary=\(parameter)")
        #expect(try MultipartFormData(subtype: "mixed", boundary: boundary).contentType.hasPrefix("multipart/mixed; "))
    }

    @Test(arguments: [
        "", " ", "a ", "a\"b", "a\\b", "a\r\nb", "a\nb", "a\u{0}b", "a;b", "a<b", "ä", "a\tb", "a*b",
        String(repeating: "x", count: 71),
    ])
    func isRejectedIfInvalid(boundary: String) {
        let error = #expect(throws: ApusError.self) { try MultipartFormData(boundary: boundary) }
        #expect(error?.code == .multipartEncodingFailed)
    }

    @Test(arguments: ["", "form data", "form-data; x", "form/data", "a\r\nb"])
    func requiresASubtypeThatIsAToken(subtype: String) {
        let error = #expect(throws: ApusError.self) { try MultipartFormData(subtype: subtype) }
        #expect(error?.code == .multipartEncodingFailed)
    }

    @Test(arguments: [
        ("--bound", true), ("--boundary of more", true), ("x\r\n--bound", true), ("x\n--bound\n", true),
        ("x\r--bound", true), ("--boun\r\n--bound", true), ("\r\n\r\n--bound--", true),
        ("x--bound", false), (" --bound", false), ("--boun", false), ("-bound", false), ("", false),
        ("--Bound", false), ("\r\n-\r\n-bound", false), ("\r\n--boun\r\nd", false),
    ])
    func isFoundAtTheBeginningOfALine(content: String, isFound: Bool) async throws {
        #expect(try MultipartBoundary("bound").beginsLine(of: Data(content.utf8)) == isFound)
        var form = try MultipartFormData(boundary: "bound")
        form.append("in front", withName: "first")
        form.append(content, withName: "field")
        let error = await failure { try await form.encode() }
        #expect(error?.code == (isFound ? .multipartEncodingFailed : nil))
        #expect(await failure { try form.makeBody() }?.code == error?.code)
        guard isFound else { return }
        #expect(error?.detail.hasPrefix("the part 'field': one of its lines begins with the boundary") == true)
    }

    @Test func isFoundInFieldsToo() async throws {
        let name = try #require(HTTPField.Name("--bound"))
        for body in [RequestBody.string("x"), .replayable { chunks(["x"]) }] {
            var form = try MultipartFormData(boundary: "bound")
            try form.append(body, fields: [name: "y"])
            #expect(await failure { try form.makeBody() }?.code == .multipartEncodingFailed)
        }
    }
}
