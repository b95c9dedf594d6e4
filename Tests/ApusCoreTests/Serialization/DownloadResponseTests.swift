internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct DownloadResponseTests {
    private struct Fault: Error {}

    private let file = URL(filePath: "/tmp/content")

    private func response(_ result: Result<String, ApusError>) throws -> DownloadResponse<String> {
        let target = try TargetURI("https://h/file")
        let raw = RawResponse(
            request: RequestMessage(target: target),
            collected: CollectedResponse(
                head: ResponseHead(status: .ok, fields: [:]),
                content: .file(CollectedFile(at: file, byteCount: 3)),
                trailers: nil,
                target: target
            ),
            metrics: RequestMetrics(first: nil)
        )
        return DownloadResponse(raw: raw, serializationDuration: .milliseconds(2), result: result)
    }

    /// Parity: AF-response-download-parts
    @Test func hasAValueOrAnErrorAndTheFile() throws {
        for result in [Result<String, ApusError>.success("a"), .failure(ApusError(.emptyBody, "x"))] {
            let response = try response(result)
            #expect((response.value == nil) == (response.error != nil))
            #expect(response.request?.target.path == "/file")
            #expect(response.response?.status == .ok)
            #expect(response.fileURL == file)
            #expect(response.serializationDuration == .milliseconds(2))
            #expect(response.metrics.exchanges.isEmpty)
        }
    }

    /// Parity: AF-response-map
    @Test func mapsItsValueAndKeepsTheRest() throws {
        let mapped = try response(.success("abc")).map(\.count)
        #expect(mapped.value == 3)
        #expect(mapped.fileURL == file)
        #expect(try response(.success("abc")).tryMap(\.count).value == 3)
        let failed = try response(.success("abc")).tryMap { _ -> Int in throw Fault() }
        #expect(failed.error?.code == .serializerFailed)
        #expect(failed.error?.underlying is Fault)
        let before = try response(.failure(ApusError(.emptyBody, "x"))).tryMap { _ -> Int in throw Fault() }
        #expect(before.error?.code == .emptyBody)
    }

    /// Parity: AF-response-map-error
    @Test func mapsItsErrorAndKeepsTheRest() throws {
        let failure = try response(.failure(ApusError(.emptyBody, "x")))
        #expect(failure.mapError { _ in ApusError(.cancelled, "y") }.error?.code == .cancelled)
        #expect(failure.tryMapError { _ in ApusError(.cancelled, "y") }.error?.code == .cancelled)
        let worse = failure.tryMapError { _ in throw Fault() }
        #expect(worse.error?.code == .serializerFailed)
        #expect(worse.error?.underlying is Fault)
        #expect(worse.fileURL == file)
        #expect(try response(.success("a")).tryMapError { _ in throw Fault() }.value == "a")
    }

    @Test func showsItsFile() throws {
        let text = try response(.success("a")).debugDescription
        #expect(text.contains("[Request]: GET https://h/file"))
        #expect(text.contains("[File]: /tmp/content"))
        #expect(text.contains("[Result]: success, String"))
    }
}
