internal import ApusTestServer
internal import Testing

@testable internal import ApusTrust

@Suite struct RootIndexTests {
    private func index(_ certificates: [[UInt8]]) -> RootIndex {
        RootIndex(certificates.compactMap { CertificateOutline(derBytes: $0) })
    }

    @Test func parsesOnlyTheRootsThatAreAskedFor() throws {
        let authority = try PEMSample.authority
        let selfSigned = try #require(try PEMSample.der(.selfSigned).first)
        let index = index([authority, selfSigned, authority])
        #expect(index.count == 2)
        #expect(index.contains(selfSigned))
        #expect(!index.contains(Array(selfSigned.dropLast())))
        let other = try #require(try PEMSample.der(.localhost).first)
        #expect(!index.contains(other))
        #expect(index.parsedCount == 0)
        let name = try #require(CertificateOutline(derBytes: authority)).subject
        #expect(index.anchors(named: name).map(\.derBytes) == [authority])
        #expect(index.anchors(named: name).map(\.derBytes) == [authority])
        #expect(index.parsedCount == 1)
        #expect(index.anchors(named: [0x30, 0]).isEmpty)
    }

    /// Two certificates of `localhost` have the same name.
    @Test func findsAllRootsOfAName() throws {
        let first = try #require(try PEMSample.der(.localhost).first)
        let second = try #require(try PEMSample.der(.localhostRSA).first)
        let name = try #require(CertificateOutline(derBytes: first)).subject
        #expect(index([first, second]).anchors(named: name).map(\.derBytes) == [first, second])
    }

    @Test func leavesOutWhatCannotBeParsed() throws {
        // The structure is right, but the contents of the name are not.
        let authority = try PEMSample.authority
        let name = try #require(CertificateOutline(derBytes: authority)).subject
        let places = authority.indices.filter { authority[$0...].starts(with: name) }
        let place = try #require(places.last)
        var damaged = authority
        damaged[place + 2] = 0x05
        let outline = try #require(CertificateOutline(derBytes: damaged))
        #expect(index([damaged]).anchors(named: outline.subject).isEmpty)
    }
}
