internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct RangeResumptionTests {
    private static let tag = "\"a\""
    private static let part = RangeResumption(offset: 100, validator: .entityTag(tag), total: 300)
    private static let unknown = RangeResumption(offset: 100, validator: nil, total: nil)
    private static let complete = RangeResumption(offset: 300, validator: .entityTag(tag), total: 300)
    private static let nothing = RangeResumption(offset: 0, validator: nil, total: nil)
    /// A part whose first segment is empty.
    private static let laterSegments = RangeResumption(
        offset: 0,
        validator: .entityTag(tag),
        total: 300,
        isSegmented: true
    )

    /// Returns the verdict on a 206.
    private func verdict(
        _ resumption: RangeResumption,
        _ range: String?,
        _ fields: HTTPFields = [:]
    ) -> RangeResumption.Verdict {
        var fields = fields
        fields[.contentRange] = range
        return resumption.verdict(on: .partialContent, fields)
    }

    // MARK: The request

    @Test func requestsTheRest() {
        var fields: HTTPFields = [.accept: "text/plain"]
        Self.part.prepare(&fields)
        let expected: HTTPFields = [
            .accept: "text/plain", .range: "bytes=100-", .ifRange: Self.tag, .acceptEncoding: "identity",
        ]
        #expect(fields == expected)
    }

    @Test func makesNoConditionWithoutAValidator() {
        var fields: HTTPFields = [.ifRange: "\"own\"", .range: "bytes=5-9"]
        Self.unknown.prepare(&fields)
        let expected: HTTPFields = [.range: "bytes=100-", .acceptEncoding: "identity"]
        #expect(fields == expected)
    }

    @Test func makesADateTheCondition() {
        var fields: HTTPFields = [:]
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        RangeResumption(offset: 1, validator: .lastModified(date), total: nil).prepare(&fields)
        #expect(fields[.ifRange] == date)
        #expect(fields[.range] == "bytes=1-")
    }

    @Test func keepsTheCodingsOfTheUser() {
        var fields: HTTPFields = [.acceptEncoding: "br"]
        Self.part.prepare(&fields)
        #expect(fields[values: .acceptEncoding] == ["br"])
    }

    @Test func changesNothingWithoutBytes() {
        let own: HTTPFields = [.range: "bytes=5-9", .ifRange: Self.tag]
        var fields = own
        Self.nothing.prepare(&fields)
        RangeResumption(offset: 0, validator: .entityTag(Self.tag), total: 0).prepare(&fields)
        #expect(fields == own)
    }

    @Test func requestsTheLastByteAgainIfEverythingHasArrived() {
        var fields: HTTPFields = [:]
        Self.complete.prepare(&fields)
        #expect(Self.complete.firstByte == 299)
        #expect(fields[.range] == "bytes=299-")
        RangeResumption(offset: 1, validator: nil, total: 1).prepare(&fields)
        #expect(fields[.range] == "bytes=0-")
        #expect(Self.part.firstByte == 100)
        #expect(Self.unknown.firstByte == 100)
        #expect(Self.nothing.firstByte == 0)
        #expect(RangeResumption(offset: 0, validator: nil, total: 0).firstByte == 0)
        #expect(RangeResumption(offset: 299, validator: nil, total: 300).firstByte == 299)
    }

    // MARK: Continuing

    @Test func continuesWithTheRest() {
        #expect(verdict(Self.part, "bytes 100-299/300", [.eTag: Self.tag]) == .continues(at: 100, total: 300))
        #expect(verdict(Self.part, "bytes 100-299/300") == .continues(at: 100, total: 300))
        #expect(verdict(Self.complete, "bytes 299-299/300") == .continues(at: 299, total: 300))
    }

    @Test func continuesWithLessThanTheRest() {
        #expect(verdict(Self.part, "bytes 100-100/300") == .continues(at: 100, total: 300))
    }

    @Test func knowsTheTotalOfEitherSide() {
        #expect(verdict(Self.part, "bytes 100-299/*") == .continues(at: 100, total: 300))
        #expect(verdict(Self.unknown, "bytes 100-299/300") == .continues(at: 100, total: 300))
        #expect(verdict(Self.unknown, "bytes 100-299/*") == .continues(at: 100, total: nil))
    }

    @Test(arguments: ["identity", "Identity", "", "identity, identity"])
    func acceptsABodyWithoutACoding(coding: String) {
        let fields: HTTPFields = [.contentEncoding: coding]
        #expect(verdict(Self.part, "bytes 100-299/300", fields) == .continues(at: 100, total: 300))
    }

    // MARK: Restarting

    @Test(
        arguments: [
            nil, "", "bytes", "bytes */300", "bytes 99-299/300", "bytes 101-299/300", "bytes 0-299/300",
            "bytes 100-300/301", "bytes 100-298/299", "bytes 100-300/*", "bytes 100-299/300, bytes 100-299/300",
            "items 100-299/300",
        ] as [String?]
    )
    func restartsAfterAnotherRange(range: String?) {
        #expect(verdict(Self.part, range) == .restarts)
    }

    @Test func restartsAfterTwoRanges() {
        var fields: HTTPFields = [:]
        fields[values: .contentRange] = ["bytes 100-299/300", "bytes 100-299/300"]
        #expect(Self.part.verdict(on: .partialContent, fields) == .restarts)
    }

    @Test func restartsIfTheLastByteIsNotTheRequestedOne() {
        #expect(verdict(Self.complete, "bytes 0-299/300") == .restarts)
        #expect(verdict(Self.complete, "bytes 299-300/301") == .restarts)
    }

    @Test(arguments: ["multipart/byteranges; boundary=x", "Multipart/ByteRanges"])
    func restartsAfterSeveralParts(type: String) {
        #expect(verdict(Self.part, nil, [.contentType: type]) == .restarts)
        #expect(verdict(Self.part, "bytes 100-299/300", [.contentType: type]) == .restarts)
    }

    @Test(arguments: ["gzip", "br", "identity, gzip", "unknown"])
    func restartsAfterACoding(coding: String) {
        #expect(verdict(Self.part, "bytes 100-299/300", [.contentEncoding: coding]) == .restarts)
    }

    @Test func restartsAfterAnotherValidator() {
        for tag in ["\"b\"", #"W/"a""#, "a"] {
            #expect(verdict(Self.part, "bytes 100-299/300", [.eTag: tag]) == .restarts, "\(tag)")
        }
        var dated = Self.part
        dated.validator = .lastModified("Sun, 06 Nov 1994 08:49:37 GMT")
        let later: HTTPFields = [.lastModified: "Sun, 06 Nov 1994 08:49:38 GMT"]
        #expect(verdict(dated, "bytes 100-299/300", later) == .restarts)
        #expect(verdict(dated, "bytes 100-299/300") == .continues(at: 100, total: 300))
    }

    @Test func restartsIfOnlyTheResponseHasAValidator() {
        #expect(verdict(Self.unknown, "bytes 100-299/300", [.eTag: Self.tag]) == .restarts)
        let dates: HTTPFields = [
            .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:38 GMT",
        ]
        #expect(verdict(Self.unknown, "bytes 100-299/300", dates) == .restarts)
        let weak: HTTPFields = [.eTag: #"W/"a""#]
        #expect(verdict(Self.unknown, "bytes 100-299/300", weak) == .continues(at: 100, total: 300))
    }

    @Test func restartsIfTheRangeIsNotSatisfiable() {
        let fields: HTTPFields = [.contentRange: "bytes */100"]
        #expect(Self.part.verdict(on: .rangeNotSatisfiable, fields) == .restarts)
        #expect(Self.part.verdict(on: .rangeNotSatisfiable, [:]) == .restarts)
    }

    @Test(
        arguments: [
            ("bytes 100-299/300", 300), ("bytes 0-0/*", 1), ("bytes 0-9223372036854775806/*", Int64.max),
            ("bytes */300", nil),
            ("bytes 100-", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func knowsTheEndOfARange(range: String, end: Int64?) {
        #expect(RangeResumption.end(of: [.contentRange: range]) == end)
    }

    @Test func knowsNoEndOfOtherResponses() {
        var fields: HTTPFields = [:]
        #expect(RangeResumption.end(of: fields) == nil)
        fields[values: .contentRange] = ["bytes 0-1/2", "bytes 0-1/2"]
        #expect(RangeResumption.end(of: fields) == nil)
    }

    // MARK: Other responses

    @Test(arguments: [200, 201, 203, 207, 226])
    func replacesTheFileByAWholeBody(status: Int) {
        for resumption in [Self.part, Self.complete, Self.unknown, Self.nothing] {
            let fields: HTTPFields = [.eTag: "\"b\"", .contentEncoding: "gzip"]
            #expect(resumption.verdict(on: HTTPResponse.Status(code: status), fields) == .replaces)
        }
    }

    @Test(arguments: [100, 204, 205, 301, 304, 400, 401, 404, 412, 500, 503, 0, 600])
    func writesNothingOfOtherResponses(status: Int) {
        for resumption in [Self.part, Self.complete, Self.unknown, Self.nothing] {
            #expect(resumption.verdict(on: HTTPResponse.Status(code: status), [:]) == .unrelated)
        }
    }

    // MARK: Segments

    @Test func requestsTheWholeInSegments() {
        var fields: HTTPFields = [.ifRange: "\"own\""]
        RangeResumption.inSegments.prepare(&fields)
        let expected: HTTPFields = [.range: "bytes=0-", .acceptEncoding: "identity"]
        #expect(fields == expected)
        Self.laterSegments.prepare(&fields)
        #expect(fields[.range] == "bytes=0-")
        #expect(fields[.ifRange] == Self.tag)
        #expect(RangeResumption.inSegments.isFresh)
        #expect(!Self.laterSegments.isFresh && !Self.part.isFresh && !Self.unknown.isFresh)
    }

    @Test func beginsSegmentsWithAValidator() {
        let tagged: HTTPFields = [.eTag: Self.tag]
        #expect(verdict(.inSegments, "bytes 0-299/300", tagged) == .continues(at: 0, total: 300))
        #expect(verdict(.inSegments, "bytes 0-0/300", tagged) == .continues(at: 0, total: 300))
        #expect(verdict(.inSegments, "bytes 0-299/300") == .continues(at: 0, total: 300))
    }

    @Test(
        arguments: [
            nil, "bytes */300", "bytes 1-299/300", "bytes 0-299/*", "bytes 0-298/300", "items 0-299/300",
        ] as [String?]
    )
    func restartsInsteadOfSegments(range: String?) {
        #expect(verdict(.inSegments, range) == .restarts)
        #expect(verdict(.inSegments, "bytes 0-299/*", [.eTag: Self.tag]) == .restarts)
        #expect(verdict(.inSegments, "bytes 0-299/300", [.contentEncoding: "gzip"]) == .restarts)
        #expect(RangeResumption.inSegments.verdict(on: .rangeNotSatisfiable, [:]) == .restarts)
        #expect(RangeResumption.inSegments.verdict(on: .ok, [:]) == .replaces)
        #expect(RangeResumption.inSegments.verdict(on: .notFound, [:]) == .unrelated)
    }

    @Test func comparesTheValidatorOfLaterSegments() {
        #expect(verdict(Self.laterSegments, "bytes 0-299/300") == .continues(at: 0, total: 300))
        #expect(verdict(Self.laterSegments, "bytes 0-299/300", [.eTag: "\"b\""]) == .restarts)
        #expect(verdict(Self.laterSegments, "bytes 0-300/301") == .restarts)
    }

    @Test func neverRestartsARequestWithoutARange() {
        #expect(verdict(Self.nothing, "bytes 5-9/300") == .replaces)
        #expect(verdict(Self.nothing, nil) == .replaces)
        #expect(Self.nothing.verdict(on: .rangeNotSatisfiable, [:]) == .unrelated)
    }
}
