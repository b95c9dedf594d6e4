/// The tree shared by all encoders of one value.
final class JSONEncodingStorage {
    let options: JSONContentEncoder
    /// The conversion of keys. `nil` if keys are not converted.
    let keys: JSONKeyConversion?
    var tree = JSONTree()

    /// Encodes a value into the tree.
    init<Value: Encodable>(of value: Value, _ options: JSONContentEncoder) throws {
        self.options = options
        do {
            self.keys = try JSONKeyConversion(options.keyEncodingStrategy)
        } catch {
            throw error.encodingError(of: value, at: [])
        }
        try JSONValueEncoder(root: self).take(root: value)
        try checkNotes(value)
        if case .nothing = tree.encoded.nodes[EncodingBuffer.root].content {
            throw EncodingFault("did not encode any values").encodingError(of: value, at: [])
        }
    }

    /// Throws the failure recorded where encoding could not throw.
    func checkNotes<Value>(_ value: Value) throws(EncodingError) {
        if let failure = tree.encoded.failure { throw failure.fault.encodingError(of: value, at: failure.path) }
    }
}

extension EncodingFault {
    static let noNumber = EncodingFault("is not a finite number, which JSON can't represent")

    static func unknown(_ strategy: some Any) -> EncodingFault {
        EncodingFault("uses the strategy \(strategy), which this encoder does not support")
    }

    /// Returns the error for a value at `path`.
    func encodingError(of value: Any, at path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: "it \(text)"))
    }
}
