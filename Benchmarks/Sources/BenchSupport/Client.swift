public import Foundation

/// One HTTP client under measurement: the works, each in the way that client's documentation shows.
///
/// Every function takes the URL as a string, as it stands in a program's source, throws on any
/// status but 2xx, and returns how much it received (or sent), which the runner compares with
/// what the server holds.
public protocol BenchClient: Sendable {
    init(_ options: Options) async throws

    /// Where the working tasks are to run; `nil` for ordinary tasks.
    var executor: (any TaskExecutor)? { get }

    /// Receives the whole content into memory and returns its size in bytes.
    func get(_ url: String) async throws -> Int
    /// Receives the whole content into memory.
    func content(_ url: String) async throws -> Data
    /// Receives JSON, decodes it into an array of ``Item`` and returns how many there are.
    func decode(_ url: String) async throws -> Int
    /// Receives the content piece by piece, drops each, and returns the number of bytes seen.
    func drop(_ url: String) async throws -> Int
    /// Receives the content into a file and returns the number of bytes received.
    func save(_ url: String, to path: String) async throws -> Int
    /// Sends a file as the content of a PUT, receives the answer, and returns its size in bytes.
    func upload(_ path: String, to url: String) async throws -> Int
    /// Sends a file as the one part of a multipart form, receives the answer, and returns its size in bytes.
    func uploadMultipart(_ path: String, to url: String) async throws -> Int
    /// Encodes a value as JSON, for the content of a request, and returns its size in bytes.
    func encodeJSON(_ value: Record) throws -> Int
    /// Encodes a value as a form, for the content of a request, and returns its size in bytes.
    func encodeForm(_ value: Record) throws -> Int
    /// Decodes JSON that is there already into an array of ``Item`` and returns how many there are.
    func decodeJSON(_ content: Data) throws -> Int
    func close() async throws
}

extension BenchClient {
    public var executor: (any TaskExecutor)? { nil }

    public func content(_ url: String) async throws -> Data {
        throw BenchError("its content is not handed on")
    }

    public func uploadMultipart(_ path: String, to url: String) async throws -> Int {
        throw BenchError("it has no multipart")
    }

    public func encodeJSON(_ value: Record) throws -> Int {
        throw BenchError("it has no encoder of its own")
    }

    public func encodeForm(_ value: Record) throws -> Int {
        throw BenchError("it has no forms")
    }

    public func decodeJSON(_ content: Data) throws -> Int {
        throw BenchError("it has no decoder of its own")
    }
}

/// What the JSON work decodes.
public struct Item: Codable, Sendable {
    public var id: Int
    public var name: String
    public var email: String
    public var score: Double
    public var active: Bool
    public var tags: [String]
}
