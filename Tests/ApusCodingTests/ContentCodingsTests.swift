internal import HTTPTypes
internal import Testing

@testable internal import ApusCoding

@Suite struct ContentCodingsTests {
    @Test(
        arguments: [
            ([], []),
            ([""], []),
            (["identity"], []),
            (["gzip"], [.gzip]),
            (["X-GZip"], [.gzip]),
            (["deflate"], [.deflate]),
            (["GZIP , \tDeflate"], [.gzip, .deflate]),
            ([", gzip,,identity, gzip ,"], [.gzip, .gzip]),
            (["gzip", "deflate", "gzip"], [.gzip, .deflate, .gzip]),
        ] as [([String], [ContentCodings.Coding])]
    )
    func readsFields(values: [String], codings: [ContentCodings.Coding]) {
        #expect(ContentCodings(fields(values))?.applied == codings)
    }

    @Test(arguments: [["br"], ["gzip, br"], ["zstd", "gzip"], ["gzip;q=1"], ["g zip"], ["gzip deflate"]])
    func rejectsUnknownAndMalformedCodings(values: [String]) {
        #expect(ContentCodings(fields(values)) == nil)
    }

    private func fields(_ values: [String]) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "text/plain"]
        fields[values: .contentEncoding] = values
        return fields
    }
}
