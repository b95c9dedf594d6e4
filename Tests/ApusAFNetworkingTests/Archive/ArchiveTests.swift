internal import Apus
internal import ApusCore
internal import ApusDocuments
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusAFNetworking

@Suite(.timeLimit(.minutes(5))) struct ArchiveTests {
    private typealias Archive = HTTPSessionManager.Archive

    /// Returns a manager with no default values.
    private static func customManager() throws -> HTTPSessionManager {
        var configuration = SessionConfiguration()
        configuration.timeouts.connect = nil
        configuration.timeouts.request = .milliseconds(1500)
        configuration.timeouts.expectContinue = .zero
        configuration.timeouts.errorBody = .seconds(5)
        configuration.pool.connectionsPerOrigin = 3
        configuration.pool.usesPerConnection = 9
        configuration.tcpKeepAlive = TCPKeepAlive(idle: .seconds(40), probes: 2)
        configuration.limits.errorBodyBytes = 77
        configuration.requestsInFlight = 5
        configuration.redirects = .follow(limit: 2, allowsDowngrade: true)
        configuration.contentDecoding = .off
        configuration.fields = [.accept: "text/plain", .acceptLanguage: "de"]
        configuration.trust.roots = .file("/etc/authorities.pem")
        configuration.tls.minimumVersion = .v13
        configuration.handlerExecution = .eventLoop
        configuration.startRequestsImmediately = false
        configuration.cookies = .off
        let manager = HTTPSessionManager(baseURL: URL(string: "https://h/a/"), configuration: configuration)
        var requests = AFJSONRequestSerializer(writingOptions: [.sortedKeys])
        try requests.setAuthorizationHeaderField(withUsername: "ada", password: "secret")
        requests.httpMethodsEncodingParametersInURI = [.get, .put]
        requests.timeoutInterval = .seconds(7)
        requests.deadline = .seconds(9)
        requests.stringEncoding = .isoLatin1
        requests.httpShouldHandleCookies = false
        manager.requestSerializer = requests
        var json = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        json.acceptableStatusCodes = [200, 201, 404]
        json.acceptableContentTypes = nil
        json.removesKeysWithNullValues = true
        manager.responseSerializer = json
        var policy = AFSecurityPolicy.default
        policy.validatesDomainName = false
        try manager.setSecurityPolicy(policy)
        return manager
    }

    /// Encodes a manager and decodes it again.
    private static func roundTrip(_ manager: HTTPSessionManager) throws -> HTTPSessionManager {
        let data = try JSONEncoder().encode(manager.archive())
        return try HTTPSessionManager(archive: JSONDecoder().decode(Archive.self, from: data))
    }

    // MARK: Archived values

    /// Parity: AFN-coding-manager
    @Test func keepsAllSettings() throws {
        let manager = try Self.customManager()
        let copy = try Self.roundTrip(manager)
        #expect(try copy.archive() == manager.archive())
        #expect(copy.baseURL == URL(string: "https://h/a/"))
        let (kept, original) = (copy.configuration, manager.configuration)
        #expect(kept.timeouts == original.timeouts)
        #expect(kept.pool == original.pool)
        #expect(kept.tcpKeepAlive == original.tcpKeepAlive)
        #expect(kept.limits == original.limits)
        #expect(kept.requestsInFlight == 5)
        #expect(kept.redirects == original.redirects)
        #expect(kept.contentDecoding == .off)
        #expect(kept.fields == original.fields)
        #expect(kept.trust == original.trust)
        #expect(kept.handlerExecution == .eventLoop)
        #expect(!kept.startRequestsImmediately)
        #expect(kept.cookies.isOff)
        #expect(copy.cookies == nil)
        #expect(copy.securityPolicy == manager.securityPolicy)
        let requests = try #require(copy.requestSerializer as? AFJSONRequestSerializer)
        #expect(requests.httpRequestHeaders[.authorization] == "Basic YWRhOnNlY3JldA==")
        #expect(requests.httpMethodsEncodingParametersInURI == [.get, .put])
        #expect(requests.timeoutInterval == .seconds(7))
        #expect(requests.deadline == .seconds(9))
        #expect(requests.stringEncoding == .isoLatin1)
        #expect(requests.httpShouldHandleCookies == false)
        #expect(requests.writingOptions == .sortedKeys)
        let json = try #require(copy.responseSerializer as? AFJSONResponseSerializer)
        #expect(json.acceptableStatusCodes == [200, 201, 404])
        #expect(json.acceptableContentTypes == nil)
        #expect(json.readingOptions == .fragmentsAllowed)
        #expect(json.removesKeysWithNullValues)
    }

    @Test func keepsSeveralRoots() throws {
        var configuration = SessionConfiguration()
        configuration.trust.roots = .all([.system, .folder("/etc/authorities"), .all([.pem("x"), .file("/y.pem")])])
        let copy = try Self.roundTrip(HTTPSessionManager(baseURL: nil, configuration: configuration))
        #expect(copy.configuration.trust == configuration.trust)
    }

    @Test func keepsAManagerWithDefaults() throws {
        let manager = HTTPSessionManager()
        let copy = try Self.roundTrip(manager)
        #expect(copy.baseURL == nil)
        #expect(try copy.archive() == manager.archive())
        #expect(copy.configuration.timeouts == Timeouts())
        #expect(copy.configuration.limits == ResponseLimits())
        #expect(copy.configuration.pool == ConnectionPoolLimits())
        #expect(copy.requestSerializer.httpShouldHandleCookies == nil)
        #expect(copy.requestSerializer.options.isEmpty)
    }

    @Test func keepsEachSerializer() throws {
        let manager = HTTPSessionManager()
        let requests: [any AFHTTPRequestSerialization] = [
            AFHTTPRequestSerializer(), AFJSONRequestSerializer(), AFPropertyListRequestSerializer(format: .binary),
        ]
        for serializer in requests {
            manager.requestSerializer = serializer
            let copy = try Self.roundTrip(manager).requestSerializer
            #expect(type(of: copy) == type(of: serializer))
            #expect((copy as? AFPropertyListRequestSerializer)?.format ?? .binary == .binary)
        }
        let nested = AFCompoundResponseSerializer([AFJSONResponseSerializer(), AFHTTPResponseSerializer()])
        let responses: [any AFHTTPResponseSerialization] = [
            AFHTTPResponseSerializer(acceptableStatusCodes: nil, acceptableContentTypes: ["image/*"]),
            AFXMLParserResponseSerializer(limits: XMLLimits(maximumDepth: 3)),
            AFXMLDocumentResponseSerializer(limits: XMLLimits(maximumNodes: 4)),
            AFPropertyListResponseSerializer(formats: [.binary], limits: PropertyListLimits(maximumValues: 5)),
            AFCompoundResponseSerializer([AFXMLParserResponseSerializer(), nested]),
        ]
        for serializer in responses {
            manager.responseSerializer = serializer
            let copy = try Self.roundTrip(manager)
            #expect(type(of: copy.responseSerializer) == type(of: serializer))
            #expect(try copy.archive() == manager.archive())
        }
        let compound = try #require(try Self.roundTrip(manager).responseSerializer as? AFCompoundResponseSerializer)
        #expect((compound.responseSerializers.last as? AFCompoundResponseSerializer)?.responseSerializers.count == 2)
    }

    @Test func takesCodeFromTheGivenConfiguration() async throws {
        let transport = MockTransport { _ in MockResponse(fields: TestManager.json, body: "{}") }
        let monitor = RecordingEventMonitor()
        var configuration = SessionConfiguration()
        configuration.eventMonitors = [monitor]
        configuration.requestsInFlight = 1
        let archive = try HTTPSessionManager(baseURL: TestManager.base).archive()
        let manager = try HTTPSessionManager(archive: archive, configuration: configuration, transport: transport)
        _ = try await manager.get("x")
        #expect(!monitor.events.isEmpty)
        #expect(manager.configuration.requestsInFlight == 256)
        #expect(transport.requests.map(\.target.uri) == ["https://api.example.org/v1/x"])
    }

    /// Cookies are no settings. A jar is kept if the configuration provides it.
    @Test func archivesNoCookies() async throws {
        let test = TestManager.settingCookies()
        _ = try await test.manager.get("login")
        let archive = try test.manager.archive()
        #expect(String(decoding: try JSONEncoder().encode(archive), as: UTF8.self).contains("sid") == false)
        let restored = try HTTPSessionManager(archive: archive)
        #expect(restored.cookies?.cookies.isEmpty == true)
        #expect(restored.cookies !== test.manager.cookies)
        let jar = try #require(test.manager.cookies)
        var configuration = SessionConfiguration()
        configuration.cookies = .jar(jar)
        #expect(try HTTPSessionManager(archive: archive, configuration: configuration).cookies === jar)
        var off = SessionConfiguration()
        off.cookies = .off
        #expect(try HTTPSessionManager(archive: archive, configuration: off).cookies != nil)
    }

    // MARK: Unsupported values

    @Test func rejectsOptionsOfARequestSerializer() {
        let manager = HTTPSessionManager()
        manager.requestSerializer.options[RedirectPolicy.self] = .refuse
        #expect(#expect(throws: ApusError.self) { try manager.archive() }?.code == .invalidConfiguration)
        manager.requestSerializer.options[RedirectPolicy.self] = nil
        manager.requestSerializer.options[RequestDeadline.self] = RequestDeadline(nil)
        #expect(#expect(throws: ApusError.self) { try manager.archive() }?.code == .invalidConfiguration)
    }

    @Test func rejectsAnEncodingWithoutAName() {
        let manager = HTTPSessionManager()
        manager.requestSerializer.stringEncoding = .nonLossyASCII
        #expect(#expect(throws: ApusError.self) { try manager.archive() }?.code == .invalidConfiguration)
    }

    @Test func rejectsACustomSerializer() {
        struct Mine: AFURLResponseSerialization {
            func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Data> {
                AFSerializedResponse(data)
            }
        }
        let manager = HTTPSessionManager()
        manager.responseSerializer = AFCompoundResponseSerializer([Mine()])
        let error = #expect(throws: ApusError.self) { try manager.archive() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("Mine") == true)
    }

    @Test func rejectsAQueryClosure() {
        let manager = HTTPSessionManager()
        manager.requestSerializer.queryStringSerialization = { _, _ in "" }
        #expect(#expect(throws: ApusError.self) { try manager.archive() }?.code == .invalidConfiguration)
    }

    // MARK: Files

    @Test func writesAPrivateFileAndReadsIt() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "manager.json")
        let manager = try Self.customManager()
        try await manager.archive(to: file)
        try await manager.archive(to: file)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try HTTPSessionManager(contentsOf: file).archive() == manager.archive())
        #expect(try folder.names == ["manager.json"])
    }

    @Test func reportsUnusableFiles() async throws {
        let nowhere = URL(filePath: "/nowhere/at/all")
        let error = await failure { () throws(ApusError) in try await HTTPSessionManager().archive(to: nowhere) }
        #expect(error?.code == .fileUnwritable)
        for url in [nowhere, URL(filePath: "/dev/zero"), URL.temporaryDirectory] {
            let error = #expect(throws: ApusError.self) { try HTTPSessionManager(contentsOf: url) }
            #expect(error?.code == .fileUnreadable)
        }
    }

    /// Every changed byte is detected or has no effect.
    @Test func detectsEveryChangedByte() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "manager.json")
        let manager = try Self.customManager()
        try await manager.archive(to: file)
        let complete = try Data(contentsOf: file)
        let archive = try manager.archive()
        for position in complete.indices where position % 5 == 0 {
            var changed = complete
            changed[position] ^= 0x01
            guard let read = try? JSONDecoder().decode(Archive.self, from: changed) else { continue }
            // White space between the parts may change.
            #expect(read == archive, "byte \(position)")
        }
        for length in stride(from: 0, to: complete.count - 1, by: 97) {
            try complete.prefix(length).write(to: file)
            let error = #expect(throws: ApusError.self) { try HTTPSessionManager(contentsOf: file) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.detail.contains("manager.json") == true)
        }
    }

    @Test func rejectsTooLargeFiles() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "large")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        let error = #expect(throws: ApusError.self) { try HTTPSessionManager(contentsOf: file) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("larger than") == true)
    }

    // MARK: Invalid archives

    private func read(_ text: String) -> ApusError? {
        #expect(throws: ApusError.self) { try JSONDecoder().decode(Archive.self, from: Data(text.utf8)) }
    }

    @Test(arguments: [0, 2, -1, 999])
    func rejectsAnotherVersion(version: Int) throws {
        let error = read(#"{"format":"apus-session-manager","version":\#(version),"checksum":"","content":""}"#)
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains("version \(version)") == true)
        #expect(error?.detail.contains("version 1") == true)
    }

    @Test(arguments: [
        #"{"format":"another","version":1,"checksum":"","content":""}"#,
        #"{"version":1,"checksum":"","content":""}"#,
        #"{"format":"apus-session-manager","version":"1","checksum":"","content":""}"#,
        #"{"format":"apus-session-manager","version":1,"content":"{}"}"#,
        #"{"format":"apus-session-manager","version":1,"checksum":"0","content":"{}"}"#,
        // The checksum is correct, but the content is invalid.
        #"{"format":"apus-session-manager","version":1,"checksum":"08f44b07b5901a25","content":"{}"}"#,
        "[]",
    ])
    func rejectsInvalidArchives(text: String) {
        #expect(read(text)?.code == .invalidConfiguration)
    }

    /// Invalid values are rejected, even with a valid checksum.
    @Test(arguments: [
        (#""pool.connectionsPerOrigin":8"#, #""pool.connectionsPerOrigin":0"#),
        (#""requestsInFlight":256"#, #""requestsInFlight":-1"#),
        (#""limits.fieldCount":256"#, #""limits.fieldCount":-256"#),
        (#""limits.fieldCount":256,"#, ""),
        (#""limits.fieldCount":256"#, #""limits.fieldCount":256,"limits.other":1"#),
        (#""timeouts.tls":"#, #""timeouts.other":"#),
        (#""verification":"full""#, #""verification":"half""#),
        (#""minimumTLSVersion":"1.2""#, #""minimumTLSVersion":"1.1""#),
        (#"["Accept","*/*"]"#, #"["Accept","*/*\r\nX-Evil: 1"]"#),
        (#"["Accept","*/*"]"#, #"["Ac cept","*/*"]"#),
        (#"["Accept","*/*"]"#, #"["Accept"]"#),
        (#""methodsWithQuery":["DELETE""#, #""methodsWithQuery":["DE LETE""#),
        (#""stringEncoding":"utf-8""#, #""stringEncoding":"utf-7""#),
        (#""cookies":true,"#, ""),
        (#""statusCodes":[[200,300]]"#, #""statusCodes":[[300,200]]"#),
        (#""statusCodes":[[200,300]]"#, #""statusCodes":[[-1,300]]"#),
        (#""statusCodes":[[200,300]]"#, #""statusCodes":[[200,9223372036854775807]]"#),
        (#""statusCodes":[[200,300]]"#, #""statusCodes":[[200]]"#),
        (#""readingOptions":0"#, #""readingOptions":-1"#),
        (#""validatesDomainName":true"#, #""validatesDomainName":false,"x":0"#),
        (#""allowInvalidCertificates":false"#, #""allowInvalidCertificates":true"#),
        (#""pinningMode":"none""#, #""pinningMode":"certificate""#),
        (#""pinnedCertificates":[]"#, #""pinnedCertificates":["?"]"#),
    ])
    func rejectsInvalidValues(part: String, other: String) throws {
        let manager = HTTPSessionManager()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let content = String(decoding: try encoder.encode(try manager.archive().manager), as: UTF8.self)
        #expect(content.contains(part))
        let changed = content.replacing(part, with: other)
        let isHarmless = other.contains(#""x":0"#)
        let error = Result { () throws -> HTTPSessionManager in
            let read = try JSONDecoder().decode(ArchivedManager.self, from: Data(changed.utf8))
            return try HTTPSessionManager(archive: Archive(manager: read))
        }
        switch error {
        case .success: #expect(isHarmless)
        case .failure(let error):
            #expect(!isHarmless && (error is DecodingError || (error as? ApusError)?.code == .invalidConfiguration))
        }
    }
}
