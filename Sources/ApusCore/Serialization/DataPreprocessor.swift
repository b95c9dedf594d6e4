public import Foundation

/// Transforms the body of a response before it is serialized.
public protocol DataPreprocessor: Sendable {
    /// Returns the data to serialize in place of `data`.
    ///
    /// - Throws: Any error. Errors other than `ApusError` are wrapped in one with the code `serializerFailed`.
    func preprocess(_ data: Data) throws -> Data
}

/// Leaves the body unchanged.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// Creates a preprocessor.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data { data }
}

/// Removes the prefix `)]}',` and line feed that some services put before JSON, so that scripts can't include it.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    private static let prefix = Data(")]}',\n".utf8)

    /// Creates a preprocessor.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data {
        data.starts(with: Self.prefix) ? Data(data.dropFirst(Self.prefix.count)) : data
    }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
    /// Leaves the body unchanged.
    public static var passthrough: PassthroughPreprocessor { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
    /// Removes the prefix that keeps scripts from including JSON.
    public static var googleXSSI: GoogleXSSIPreprocessor { GoogleXSSIPreprocessor() }
}
