internal import ApusAlamofire
internal import HTTPTypes
internal import Testing

@Suite struct RequestFieldsHeadersTests {
    /// Parity: AF-session-names, AF-headers-update, AF-headers-unique
    @Test func haveOneFieldOfEachName() throws {
        var headers = HTTPHeaders(["Accept": "a/b"])
        headers.add(name: "X-Tag", value: "1")
        headers.add(HTTPHeader(name: "x-tag", value: "2"))
        headers.update(name: "ACCEPT", value: "c/d")
        headers["X-Other"] = "3"
        let name = "x-other"
        #expect(headers[name] == "3" && headers.value(for: "X-OTHER") == "3")
        #expect(headers.value(for: "accept") == "c/d" && headers[.accept] == "c/d")
        #expect(headers.dictionary == ["ACCEPT": "c/d", "x-tag": "2", "X-Other": "3"])
        headers.remove(name: "x-TAG")
        headers[name] = nil
        #expect(try headers.checked().map(\.value) == ["c/d"])
    }

    /// Parity: AF-session-names
    @Test func areCreatedFromAListOfFields() throws {
        let headers = HTTPHeaders([.accept("a/b"), .authorization(bearerToken: "t"), .accept("c/d")])
        #expect(headers.dictionary == ["Authorization": "Bearer t", "Accept": "c/d"])
        #expect(HTTPHeaders.default.dictionary["User-Agent"] == Session.Configuration.defaultFields[.userAgent])
        var repeated: HTTPHeaders = ["X-Tag": "1", "x-tag": "2"]
        #expect(repeated.dictionary == ["X-Tag": "1, 2"])
        repeated.add(name: "no name", value: "x")
        #expect(repeated.dictionary == ["X-Tag": "1, 2"])
        #expect(throws: AFError.self) { try repeated.checked() }
    }
}
