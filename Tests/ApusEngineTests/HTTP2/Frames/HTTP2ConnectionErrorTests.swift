internal import ApusEngine
internal import HTTPTypes
internal import Testing

@Suite struct HTTP2ConnectionErrorTests {
    @Test func errorsAreDescribedByTheirReason() {
        let connection = HTTP2ConnectionError(code: .protocolError, reason: "A sentence.")
        #expect("\(connection)" == "A sentence.")
        #expect(connection.limit == nil)
        #expect("\(HTTP2StreamError(code: .cancel, reason: "Another sentence."))" == "Another sentence.")
    }
}
