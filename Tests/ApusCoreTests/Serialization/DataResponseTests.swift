internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct DataResponseTests {
    private struct Fault: Error {}

    private func response(_ result: Result<String, ApusError>) throws -> DataResponse<String> {
        let target = try TargetURI("https://user:sesame@h/?token=sesame")
        let fields: HTTPFields = [
            .contentType: "text/plain", .setCookie: "id=sesame", .location: "https://u:sesame@h/?code=sesame",
        ]
        let raw = RawResponse(
            request: RequestMessage(target: target, fields: [.authorization: "sesame"]),
            collected: CollectedResponse(
                head: ResponseHead(status: .ok, fields: fields),
                content: .memory(Data("abc".utf8)),
                trailers: nil,
                target: target
            ),
            metrics: RequestMetrics(first: nil)
        )
        return DataResponse(raw: raw, serializationDuration: .milliseconds(2), result: result)
    }

    /// Parity: AF-response-parts
    @Test func hasAValueOrAnError() throws {
        let success = try response(.success("a"))
        #expect(success.value == "a")
        #expect(success.error == nil)
        #expect(success.response?.status == .ok)
        let failure = try response(.failure(ApusError(.emptyBody, "x")))
        #expect(failure.value == nil)
        #expect(failure.error?.code == .emptyBody)
    }

    /// Parity: AF-response-parts, AF-response-map
    @Test func mapsItsValueAndKeepsTheRest() throws {
        let mapped = try response(.success("abc")).map(\.count)
        #expect(mapped.value == 3)
        #expect(mapped.data == Data("abc".utf8))
        #expect(mapped.response?.status == .ok)
        #expect(mapped.serializationDuration == .milliseconds(2))
        #expect(mapped.request != nil)
        let failed = try response(.failure(ApusError(.emptyBody, "x"))).map(\.count)
        #expect(failed.error?.code == .emptyBody)
    }

    /// Parity: AF-response-map
    @Test func mapsWithAThrowingClosure() throws {
        #expect(try response(.success("abc")).tryMap(\.count).value == 3)
        let failed = try response(.success("abc")).tryMap { _ -> Int in throw Fault() }
        #expect(failed.error?.code == .serializerFailed)
        #expect(failed.error?.underlying is Fault)
        let own = try response(.success("abc")).tryMap { _ -> Int in throw ApusError(.decodingFailed, "x") }
        #expect(own.error?.code == .decodingFailed)
        let before = try response(.failure(ApusError(.emptyBody, "x"))).tryMap { _ -> Int in throw Fault() }
        #expect(before.error?.code == .emptyBody)
    }

    /// Parity: AF-response-map-error
    @Test func mapsItsError() throws {
        let mapped = try response(.failure(ApusError(.emptyBody, "x"))).mapError { _ in ApusError(.cancelled, "y") }
        #expect(mapped.error?.code == .cancelled)
        #expect(try response(.success("a")).mapError { _ in ApusError(.cancelled, "y") }.value == "a")
    }

    /// Parity: AF-response-debug
    @Test func showsNoSecret() throws {
        let text = try response(.success("sesame")).debugDescription
        #expect(!text.contains("sesame"), "\(text)")
        #expect(text.contains("[Request]: GET https://h/?token=…"))
        #expect(text.contains("[Response]: 200 OK"))
        #expect(text.contains("Content-Type: text/plain"))
        #expect(text.contains("Set-Cookie: <redacted>"))
        #expect(text.contains("[Body]: 3 bytes"))
        #expect(text.contains("[Serialization duration]: 2 ms"))
        #expect(text.contains("[Result]: success, String"))
        let error = ApusError(.connectFailed, "no", url: "https://user:sesame@h/?a=sesame")
        let failed = try response(.failure(error))
        #expect(!"\(failed)\(failed.debugDescription)".contains("sesame"))
    }
}
