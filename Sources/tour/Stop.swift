internal import Apus

/// A demonstration of one feature of the library.
struct Stop: Sendable {
    /// A short title.
    let title: String
    /// Runs the demonstration and returns its result. Throws if the result is not the expected one.
    let visit: @Sendable (TourEnvironment) async throws -> Finding

    init(_ title: String, _ visit: @escaping @Sendable (TourEnvironment) async throws -> Finding) {
        self.title = title
        self.visit = visit
    }
}

/// The result of a stop.
struct Finding: Sendable {
    /// A short summary.
    let text: String
    /// Messages of the library, verbatim.
    let quotes: [String]
    /// The exchanges of each request, for the waterfall.
    let requests: [[ExchangeMetrics]]
    /// The waterfall to draw below the summary. Default: `nil`.
    var picture: Waterfall?

    init(_ text: String, quotes: [String] = [], _ requests: [ExchangeMetrics]...) {
        self.text = text
        self.quotes = quotes
        self.requests = requests
    }

    init(_ text: String, quotes: [String] = [], requests: [[ExchangeMetrics]]) {
        self.text = text
        self.quotes = quotes
        self.requests = requests
    }
}

/// An unexpected result of a stop.
struct Unexpected: Error, CustomStringConvertible {
    let expected: String
    let found: String

    var description: String { "expected \(expected), found \(found)" }
}

/// Throws `Unexpected` if the condition is false.
func expect(_ isSo: Bool, _ expected: @autoclosure () -> String, found: @autoclosure () -> Any) throws(Unexpected) {
    if !isSo { throw Unexpected(expected: expected(), found: "\(found())") }
}

/// Throws `Unexpected` if the values differ.
func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ name: String) throws(Unexpected) {
    try expect(value == wanted, "\(name) to be \(wanted)", found: value)
}

/// Returns the error thrown by `work`. Throws `Unexpected` if it succeeds or fails with another code.
func failure<Value>(_ code: ApusError.Code, of work: () async throws -> Value) async throws -> ApusError {
    let value: Value
    do {
        value = try await work()
    } catch let error as ApusError where error.code == code {
        return error
    } catch {
        let found = (error as? ApusError)?.debugDescription ?? "\(error)"
        throw Unexpected(expected: "the error \(code)", found: found)
    }
    throw Unexpected(expected: "the error \(code)", found: "\(value)")
}
