internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

extension JSONContentEncoder {
    /// Foundation's encoder, which must write the same if `sortedKeys` is set.
    var foundation: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dateEncodingStrategy
        encoder.dataEncodingStrategy = dataEncodingStrategy
        encoder.keyEncodingStrategy = keyEncodingStrategy
        encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
        encoder.userInfo = userInfo
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if prettyPrinted { encoder.outputFormatting.insert(.prettyPrinted) }
        return encoder
    }

    /// This encoder with sorted keys, with and without pretty printing.
    var layouts: [JSONContentEncoder] {
        [false, true].map { prettyPrinted in
            var encoder = self
            encoder.sortedKeys = true
            encoder.prettyPrinted = prettyPrinted
            return encoder
        }
    }

    func text(_ value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }
}

/// Expects an encoder to write the same text as Foundation's.
func expectFoundationsText(
    _ value: some Encodable,
    by encoder: JSONContentEncoder = JSONContentEncoder(),
    location: SourceLocation = #_sourceLocation
) throws {
    for encoder in encoder.layouts {
        let expected = String(decoding: try encoder.foundation.encode(value), as: UTF8.self)
        #expect(try encoder.text(value) == expected, sourceLocation: location)
    }
}

/// The path and type of the value in an `EncodingError.invalidValue`, and the reason of the error.
struct Refused: Equatable {
    let path: [String]
    let type: String
    let reason: String
}

extension Refused {
    /// Reads the error that `work` must throw.
    init(_ work: () throws -> Void, location: SourceLocation = #_sourceLocation) throws {
        let error = #expect(throws: EncodingError.self, sourceLocation: location) { try work() }
        guard case .invalidValue(let value, let context) = try #require(error, sourceLocation: location) else {
            throw Fault()
        }
        self.path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
        self.type = "\(Swift.type(of: value))"
        self.reason = context.debugDescription
    }
}
