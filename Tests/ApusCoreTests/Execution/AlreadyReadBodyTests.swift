internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// A body that a middleware has read, wholly or in part, is no response body for the caller, in any kind of call.
@Suite(.timeLimit(.minutes(5))) struct AlreadyReadBodyTests {
    enum Kind: CaseIterable {
        case direct, stream, data, download
    }

    /// Receives progress, which wraps the body once more.
    private struct ProgressMonitor: EventMonitor {
        var receivesProgress: Bool { true }

        func request(_ request: RequestSummary, did event: RequestEvent) {}
    }

    private func code(_ kind: Kind, of session: Session) async -> ApusError.Code? {
        switch kind {
        case .direct:
            return await failure(of: { try await session.get("http://h/") })?.code
        case .stream:
            return await failure(of: { for try await _ in try await session.stream("http://h/").body {} })?.code
        case .data:
            return await session.request("http://h/").serializingData(emptyResponseCodes: [200]).response.error?.code
        case .download:
            return await session.download("http://h/", to: .temporary).serializingURL().response.error?.code
        }
    }

    @Test(arguments: Kind.allCases, [1, 4]) func isAnError(kind: Kind, reads: Int) async {
        for monitors in [[], [ProgressMonitor()]] as [[any EventMonitor]] {
            var configuration = Session.Configuration()
            configuration.eventMonitors = monitors
            configuration.middleware = [
                ClosureMiddleware { request, context, next in
                    let response = try await next(request, context: context)
                    var iterator = response.body.makeAsyncIterator()
                    for _ in 0..<reads { _ = try await iterator.next() }
                    return response
                }
            ]
            let transport = BodyTransport { _ in .stream(ScriptedBody(["a", "b", "c"])) }
            let session = Session(configuration: configuration, transport: transport)
            #expect(await code(kind, of: session) == .bodyAlreadyRead, "\(kind), \(monitors.count) monitors")
        }
    }

    @Test(arguments: Kind.allCases) func isReadOnceOtherwise(kind: Kind) async {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [ProgressMonitor()]
        let transport = BodyTransport { _ in .stream(ScriptedBody(["a", "b", "c"])) }
        let session = Session(configuration: configuration, transport: transport)
        #expect(await code(kind, of: session) == nil)
    }

    @Test func drainsTheRestForTheBodyThatReadAPart() async throws {
        let source = ScriptedBody(["a", "b", "c"])
        let observed = ObservedBody(BodyStream(source), onChunk: nil, onEnd: nil)
        _ = try await observed.next()
        observed.discard()
        #expect(source.discards == 1 && source.cancels == 0)
    }
}
