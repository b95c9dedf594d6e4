internal import Foundation
internal import Testing

@testable internal import ApusTrust

@Suite struct HSTSDocumentTests {
    private let entries = [
        HSTSEntry(
            normalized: "example.com",
            includesSubdomains: false,
            expires: Date(timeIntervalSince1970: 1_893_456_000)
        ),
        HSTSEntry(
            normalized: "example.org",
            includesSubdomains: true,
            expires: Date(timeIntervalSince1970: 1_893_542_399)
        ),
        HSTSEntry(normalized: "xn--bcher-kva.example", includesSubdomains: false, expires: .distantFuture),
    ]

    private let text = """
        # Your HSTS cache. https://curl.se/docs/hsts.html
        example.com "20300101 00:00:00"
        .example.org "20300101 23:59:59"
        xn--bcher-kva.example "unlimited"

        """

    private func read(_ text: String) throws -> [HSTSEntry] { try HSTSDocument.entries(in: Data(text.utf8)) }

    @Test func writesTheFormatOfCurl() {
        #expect(String(decoding: HSTSDocument.data(of: entries), as: UTF8.self) == text)
    }

    @Test func readsTheFormatOfCurl() throws {
        #expect(try read(text) == entries)
        #expect(try read(text.replacing("\n", with: "\r\n")) == entries)
        #expect(try read(" \n#x\n\t EXAMPLE.com. \t \"20300101 00:00:00\" ") == [entries[0]])
        #expect(try read("").isEmpty)
    }

    @Test(arguments: [
        ("x", 1), ("example.com", 1), ("# a\nexample.com 20300101", 2), ("example.com \"20300101\"", 1),
        ("example.com \"20300101 00:00\"", 1), ("example.com \"20300230 00:00:00\"", 1),
        ("example.com \"20300101 24:00:00\"", 1), ("example.com \"2030-01-01 00:00\"", 1), ("example.com \"", 1),
        ("example.com \"UNLIMITED\"", 1), ("127.0.0.1 \"unlimited\"", 1), (". \"unlimited\"", 1),
        ("a..b \"unlimited\"", 1), ("[::1] \"unlimited\"", 1), ("a/b \"unlimited\"", 1),
        ("a.example \"unlimited\"\nb.example unlimited", 2), ("a.example \"unlimited\" x", 1),
    ])
    func namesTheDamagedLine(text: String, line: Int) {
        let fault = #expect(throws: HSTSFileFault.self) { try read(text) }
        #expect(fault?.description.hasPrefix("line \(line) ") == true)
    }

    @Test func rejectsBytesThatAreNoText() {
        #expect(throws: HSTSFileFault.self) { try HSTSDocument.entries(in: Data([0xFF, 0x00])) }
    }
}
