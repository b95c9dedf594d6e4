internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferResponseTests {
    @Test(arguments: [(0, 0, false), (65_536, 65_536, false), (65_537, 65_536, true)])
    func keepsTheBeginningOfTheBody(count: Int, kept: Int, isTruncated: Bool) throws {
        let response = TransferResponse(status: 200, body: Data(repeating: 7, count: count))
        #expect(response.body.count == kept)
        #expect(response.isTruncated == isTruncated)
        let data = try JSONEncoder().encode(response)
        #expect(try JSONDecoder().decode(TransferResponse.self, from: data) == response)
    }

    @Test func forgetsItsBody() {
        let response = TransferResponse(status: 200, body: Data("secret".utf8))
        #expect(response.withoutBody.body.isEmpty && response.withoutBody.isTruncated)
        let empty = TransferResponse(status: 204, body: Data())
        #expect(empty.withoutBody == empty)
    }

    @Test func showsNoSecrets() {
        let response = TransferResponse(status: 200, body: Data("secret".utf8))
        var dumped = ""
        dump(response, to: &dumped)
        for text in ["\(response)", String(reflecting: response), dumped] { #expect(!text.contains("secret")) }
        #expect("\(response)" == "200 (6 bytes)")
    }
}
