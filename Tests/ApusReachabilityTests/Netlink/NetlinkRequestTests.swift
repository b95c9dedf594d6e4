internal import ApusCore
internal import Testing

@testable internal import ApusReachability

/// The bytes that `ip` sends for the same questions. Their numbers are little-endian, as on all supported processors.
@Suite struct NetlinkRequestTests {
    private func words(_ request: NetlinkRequest) -> [String] {
        let bytes = request.bytes(sequence: 7)
        return stride(from: 0, to: bytes.count, by: 4).map { index in
            bytes[index..<index + 4].map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        }
    }

    @Test func asksForLists() {
        let link = ["00000000", "00000000", "00000000", "00000000", "08001d00", "08000000"]
        #expect(words(.links) == ["28000000", "12000103", "07000000", "00000000"] + link)
        #expect(words(.addresses) == ["18000000", "16000103", "07000000", "00000000", "00000000", "00000000"])
        #expect(NetlinkRequest.links.isList && NetlinkRequest.addresses.isList)
    }

    @Test func asksForALink() {
        let link = ["00000000", "03000000", "00000000", "00000000", "08001d00", "08000000"]
        #expect(words(.link(3)) == ["28000000", "12000100", "07000000", "00000000"] + link)
        #expect(!NetlinkRequest.link(3).isList)
    }

    @Test func asksForRoutesOfBothFamilies() throws {
        let ipv4 = NetlinkRequest.route(try #require(IPAddress("192.0.2.1")))
        let header = ["24000000", "1a000100", "07000000", "00000000"]
        #expect(words(ipv4) == header + ["02200000", "00000000", "00000000", "08000100", "c0000201"])
        let ipv6 = NetlinkRequest.route(try #require(IPAddress("fe80::1%5")))
        let expected = [
            "38000000", "1a000100", "07000000", "00000000", "0a800000", "00000000", "00000000", "14000100", "fe800000",
            "00000000", "00000000", "00000001", "08000400", "05000000",
        ]
        #expect(words(ipv6) == expected)
    }
}
