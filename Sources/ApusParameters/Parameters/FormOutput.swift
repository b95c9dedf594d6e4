internal import Foundation

/// The output of a `FormWriter`.
protocol FormOutput {
    /// Appends a pair. Without a value, the key stands alone.
    mutating func append(_ key: [UInt8], _ value: ArraySlice<UInt8>?)
}

/// Pairs in a form or a query: `key=value&key=value`.
struct FormText: FormOutput {
    private let escaping: FormEscaping
    private let spaceEncoding: URLEncodedFormEncoder.SpaceEncoding
    private var isEmpty = true
    private(set) var bytes: [UInt8] = []

    init(_ options: URLEncodedFormEncoder, capacity: Int) {
        self.escaping = options.escaping
        self.spaceEncoding = options.spaceEncoding
        bytes.reserveCapacity(capacity)
    }

    mutating func append(_ key: [UInt8], _ value: ArraySlice<UInt8>?) {
        if !isEmpty { bytes.append(UInt8(ascii: "&")) }
        isEmpty = false
        key.withUnsafeBufferPointer { escaping.append($0, to: &bytes, spaceEncoding) }
        guard let value else { return }
        bytes.append(UInt8(ascii: "="))
        bytes.append(contentsOf: value)
    }
}

/// The names and contents of the parts of a multipart form.
struct FormParts: FormOutput {
    typealias Part = (name: String, content: Data)

    private(set) var parts: [Part] = []

    mutating func append(_ key: [UInt8], _ value: ArraySlice<UInt8>?) {
        parts.append((String(decoding: key, as: UTF8.self), Data(value ?? [])))
    }
}
