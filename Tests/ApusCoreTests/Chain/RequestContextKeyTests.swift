internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5)))
struct RequestContextKeyTests {
    private enum Count: RequestContextKey { typealias Value = Int }

    private enum Name: RequestContextKey { typealias Value = String }

    private final class Object: Sendable {}

    private enum Held: RequestContextKey { typealias Value = Object }

    private func context() -> RequestContext {
        RequestContext(environment: SessionEnvironment(configuration: Session.Configuration()))
    }

    private enum Optional: RequestContextKey { typealias Value = String? }

    @Test func tellsAMissingValueFromNil() {
        let context = context()
        #expect(context[Optional.self] == .none)
        #expect(context.value(of: Optional.self) { "made" } == "made")
        context[Optional.self] = .some(nil)
        #expect(context.value(of: Optional.self) { "made" } == nil)
    }

    @Test func keepsOneValueForEachKey() {
        let context = context()
        #expect(context[Count.self] == nil)
        context[Count.self] = 1
        context[Name.self] = "one"
        #expect(context[Count.self] == 1)
        #expect(context[Name.self] == "one")
        context[Count.self] = nil
        #expect(context[Count.self] == nil)
        #expect(context[Name.self] == "one")
    }

    @Test func makesAValueOnce() {
        let context = context()
        #expect(context.value(of: Count.self) { 1 } == 1)
        #expect(context.value(of: Count.self) { 2 } == 1)
    }

    @Test func sharesOneValueBetweenTasks() async {
        let context = context()
        let values = await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { context.value(of: Count.self) { number } } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values.count == 1)
    }

    @Test func keepsValuesAcrossAttemptsAndDropsThemWithTheRequest() async throws {
        let counter = ClosureMiddleware { request, context, next in
            context[Count.self] = (context[Count.self] ?? 0) + 1
            var request = request
            request.fields[.from] = "\(context[Count.self] ?? 0)"
            return try await next(request, context: context)
        }
        let test = TestSession(configuring: { configuration in
            configuration.middleware = [counter]
            configuration.interceptor = RetryPolicy(scale: .zero)
        }) { _ in MockResponse(status: .serviceUnavailable) }
        for _ in 0..<2 { _ = try await test.session.get("https://h/") }
        #expect(test.transport.requests.map { $0.fields[.from] } == ["1", "2", "3", "1", "2", "3"])
    }

    @Test func releasesValuesWithTheContext() {
        weak var object: Object?
        do {
            let context = context()
            let held = Object()
            object = held
            context[Held.self] = held
        }
        #expect(object == nil)
    }
}
