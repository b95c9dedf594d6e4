internal import Apus

/// One thing that the library can do, done.
struct Stop: Sendable {
    /// What is done, in a few words.
    let title: String
    /// Does it, and tells what came back; throws where that is not what it should be.
    let visit: @Sendable (Grounds) async throws -> Finding

    init(_ title: String, _ visit: @escaping @Sendable (Grounds) async throws -> Finding) {
        self.title = title
        self.visit = visit
    }
}

/// What came back.
struct Finding: Sendable {
    /// In a few words.
    let text: String
    /// What the library said about it, word for word.
    let quotes: [String]
    /// The exchanges of each request, for the waterfall.
    let requests: [[HopMetrics]]

    init(_ text: String, quotes: [String] = [], _ requests: [HopMetrics]...) {
        self.text = text
        self.quotes = quotes
        self.requests = requests
    }

    init(_ text: String, quotes: [String] = [], requests: [[HopMetrics]]) {
        self.text = text
        self.quotes = quotes
        self.requests = requests
    }
}

/// A stop is not what it should be.
struct Unexpected: Error, CustomStringConvertible {
    let expected: String
    let found: String

    var description: String { "expected \(expected), found \(found)" }
}

/// Throws `Unexpected` where something is not what it should be.
func expect(_ isSo: Bool, _ expected: @autoclosure () -> String, found: @autoclosure () -> Any) throws(Unexpected) {
    if !isSo { throw Unexpected(expected: expected(), found: "\(found())") }
}

/// Throws `Unexpected` where two values differ.
func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ name: String) throws(Unexpected) {
    try expect(value == wanted, "\(name) to be \(wanted)", found: value)
}

/// The error that `work` fails with; throws `Unexpected` where it succeeds, or fails with another code.
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
