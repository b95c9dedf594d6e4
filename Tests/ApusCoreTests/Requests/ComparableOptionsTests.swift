internal import ApusTestSupport
internal import Testing

@testable internal import ApusCore

@Suite struct ComparableOptionsTests {
    private struct Number: RequestOption, Hashable {
        var value: Int
    }

    private struct OtherNumber: RequestOption, Hashable {
        var value: Int
    }

    private struct Opaque: RequestOption {}

    private func context(_ options: RequestOptions) -> RequestContext {
        RequestContext(environment: SessionEnvironment(configuration: SessionConfiguration()), options: options)
    }

    @Test func areEqualInAnyOrder() {
        let one: RequestOptions = [Number(value: 1), RedirectPolicy.refuse]
        let other: RequestOptions = [RedirectPolicy.refuse, Number(value: 1)]
        #expect(one.comparable != nil)
        #expect(one.comparable == other.comparable)
        #expect(one.comparable?.hashValue == other.comparable?.hashValue)
        #expect(RequestOptions.none.comparable == RequestOptions().comparable)
    }

    @Test func differByTypeAndValue() {
        let one: RequestOptions = [Number(value: 1)]
        let others: [RequestOptions] = [
            [Number(value: 2)], [OtherNumber(value: 1)], [], [Number(value: 1), GETBodyPolicy.allowed],
        ]
        for other in others { #expect(one.comparable != other.comparable) }
    }

    @Test func ignoreADeadline() {
        let one: RequestOptions = [RequestDeadline(.seconds(1))]
        #expect(one.comparable == RequestOptions.none.comparable)
    }

    @Test func areMissingIfOneCannotBeCompared() {
        let options: RequestOptions = [Number(value: 1), Opaque()]
        #expect(options.comparable == nil)
    }

    @Test func includeThoseThatAreSetLater() throws {
        let context = context([])
        func comparable(_ options: RequestOptions) throws -> ComparableOptions? {
            context.comparableOptions(of: try RequestMessage("http://h/", options: options))
        }
        let given = try comparable([Number(value: 1)])
        let both = try comparable([Number(value: 1), OtherNumber(value: 2)])
        context.override(OtherNumber(value: 2))
        #expect(try comparable([Number(value: 1)]) != given)
        #expect(try comparable([Number(value: 1)]) == both)
        context.override(Redirector.follow)
        #expect(try comparable([Number(value: 1)]) == nil)
    }
}
