internal import Testing

@testable internal import ApusCore

@Suite struct RequestOptionsTests {
    private struct Number: RequestOption, Equatable { let value: Int }
    private struct Name: RequestOption, Equatable { let value: String }

    @Test func holdsOneOfEachKind() {
        let options: RequestOptions = [Number(value: 1), Name(value: "a"), Number(value: 2)]
        #expect(options[Number.self] == Number(value: 2))
        #expect(options[Name.self] == Name(value: "a"))
        #expect(options[RequestTimeouts.self] == nil)
        #expect(RequestOptions.none[Number.self] == nil)
    }

    @Test func hasValueSemantics() {
        var options = RequestOptions.none
        options[Number.self] = Number(value: 1)
        let copy = options
        options[Number.self] = nil
        #expect(options[Number.self] == nil)
        #expect(copy[Number.self] == Number(value: 1))
    }
}
