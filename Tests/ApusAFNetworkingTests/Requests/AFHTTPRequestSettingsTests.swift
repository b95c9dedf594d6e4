internal import Apus
internal import ApusAFNetworking
internal import HTTPTypes
internal import Testing

@Suite struct AFHTTPRequestSettingsTests {
    /// Parity: AFN-request-language, AFN-request-user-agent
    @Test func hasTheFieldsOfASessionWithoutAccept() {
        var fields = SessionConfiguration.defaultFields
        fields[.accept] = nil
        let settings = AFHTTPRequestSettings()
        #expect(settings.httpRequestHeaders == fields)
        #expect(settings.httpRequestHeaders[.userAgent]?.utf8.allSatisfy { $0 < 0x80 } == true)
        #expect(settings.httpMethodsEncodingParametersInURI == [.get, .head, .delete])
    }

    @Test func isIndependentOfItsCopies() {
        var settings = AFHTTPRequestSettings()
        let copy = settings
        settings.httpRequestHeaders[.userAgent] = "other"
        settings.httpMethodsEncodingParametersInURI = []
        #expect(copy.httpRequestHeaders[.userAgent] != "other")
        #expect(copy.httpMethodsEncodingParametersInURI.count == 3)
    }
}
