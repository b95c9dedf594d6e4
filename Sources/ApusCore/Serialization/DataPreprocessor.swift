public import Foundation

/// Changes the content of an answer before it is serialized.
public protocol DataPreprocessor: Sendable {
    /// What is serialized in place of `data`.
    ///
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `serializerFailed`.
    func preprocess(_ data: Data) throws -> Data
}

/// Leaves the content as it is.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// Makes one; it has no options.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data { data }
}

/// Takes off the `)]}',` and line feed that some services put before their JSON, so that no script can include it.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    private static let prefix = Data(")]}',\n".utf8)

    /// Makes one; it has no options.
    public init() {}

    public func preprocess(_ data: Data) throws -> Data {
        data.starts(with: Self.prefix) ? Data(data.dropFirst(Self.prefix.count)) : data
    }
}

extension DataPreprocessor where Self == PassthroughPreprocessor {
    /// Leaves the content as it is.
    public static var passthrough: PassthroughPreprocessor { PassthroughPreprocessor() }
}

extension DataPreprocessor where Self == GoogleXSSIPreprocessor {
    /// Takes off the prefix that keeps scripts from including JSON.
    public static var googleXSSI: GoogleXSSIPreprocessor { GoogleXSSIPreprocessor() }
}
