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

    /// Parity: AFN-request-cookies
    @Test func hasOptionsForCookiesAndTheDeadline() {
        var settings = AFHTTPRequestSettings()
        #expect(settings.httpShouldHandleCookies == nil)
        #expect(settings.deadline == nil)
        #expect(settings.options.isEmpty)
        settings.httpShouldHandleCookies = false
        #expect(settings.httpShouldHandleCookies == false)
        #expect(settings.options[CookieHandling.self]?.isOff == true)
        settings.httpShouldHandleCookies = true
        #expect(settings.httpShouldHandleCookies == true)
        #expect(settings.options[CookieHandling.self]?.isOff == false)
        settings.httpShouldHandleCookies = nil
        settings.deadline = .seconds(2)
        #expect(settings.options[RequestDeadline.self] == RequestDeadline(.seconds(2)))
        settings.deadline = nil
        #expect(settings.options.isEmpty)
    }

    @Test func keepsAJarInItsOptions() {
        var settings = AFHTTPRequestSettings()
        let jar = CookieJar()
        settings.options[CookieHandling.self] = .jar(jar)
        settings.httpShouldHandleCookies = true
        guard case .jar(let kept)? = settings.options[CookieHandling.self] else {
            Issue.record("the options have no jar")
            return
        }
        #expect(kept === jar)
    }

    @Test func describesItsFieldsWithoutSecrets() throws {
        var serializer = AFHTTPRequestSerializer()
        try serializer.setAuthorizationHeaderField(withUsername: "ada", password: "hunter2")
        try serializer.setValue("blue", forHTTPHeaderField: "X-Tag")
        let field = try #require(serializer.value(forHTTPHeaderField: "Authorization"))
        let secret = String(field.dropFirst("Basic ".count))
        var dumped = ""
        dump(serializer, to: &dumped)
        for text in ["\(serializer)", "\(serializer.settings)", String(reflecting: serializer), dumped] {
            #expect(!text.contains(secret))
        }
        #expect("\(serializer.settings)".contains("X-Tag: blue"))
    }
}
