public import Foundation

/// A measured HTTP client. Performs each work as the client's documentation recommends.
///
/// Every function takes the URL as a string, throws for a status other than 2xx, and returns the size of the received
/// (or sent) data. The runner compares the size with the expected one.
public protocol BenchClient: Sendable {
    init(_ options: Options) async throws

    /// The executor of the tasks that send requests, or `nil` for ordinary tasks.
    var executor: (any TaskExecutor)? { get }

    /// Receives the whole body into memory and returns its size in bytes.
    func get(_ url: String) async throws -> Int
    /// Receives the whole body into memory.
    func content(_ url: String) async throws -> Data
    /// Receives JSON, decodes it into an array of ``Item`` and returns the number of items.
    func decode(_ url: String) async throws -> Int
    /// Receives the body in chunks, discards them, and returns the number of bytes.
    func drop(_ url: String) async throws -> Int
    /// Receives the body into a file and returns the number of bytes.
    func save(_ url: String, to path: String) async throws -> Int
    /// Sends a file as the body of a PUT request, and returns the size of the response body in bytes.
    func upload(_ path: String, to url: String) async throws -> Int
    /// Sends a file as the only part of a multipart form, and returns the size of the response body in bytes.
    func uploadMultipart(_ path: String, to url: String) async throws -> Int
    /// Encodes a value as JSON for a request body, and returns its size in bytes.
    func encodeJSON(_ value: Record) throws -> Int
    /// Encodes a value as a form for a request body, and returns its size in bytes.
    func encodeForm(_ value: Record) throws -> Int
    /// Decodes JSON data into an array of ``Item`` and returns the number of items.
    func decodeJSON(_ content: Data) throws -> Int
    func close() async throws
}

extension BenchClient {
    public var executor: (any TaskExecutor)? { nil }

    public func content(_ url: String) async throws -> Data {
        throw BenchError("it does not return the body")
    }

    public func uploadMultipart(_ path: String, to url: String) async throws -> Int {
        throw BenchError("it does not support multipart")
    }

    public func encodeJSON(_ value: Record) throws -> Int {
        throw BenchError("it has no encoder of its own")
    }

    public func encodeForm(_ value: Record) throws -> Int {
        throw BenchError("it does not support forms")
    }

    public func decodeJSON(_ content: Data) throws -> Int {
        throw BenchError("it has no decoder of its own")
    }
}

/// The element that the JSON works decode.
public struct Item: Codable, Sendable {
    public var id: Int
    public var name: String
    public var email: String
    public var score: Double
    public var active: Bool
    public var tags: [String]
}
