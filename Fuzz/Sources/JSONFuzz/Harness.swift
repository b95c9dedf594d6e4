internal import ApusCore
internal import Foundation
internal import FuzzDriver

@main enum JSONFuzz {
    static func main() {
        runFuzzer(testOneInput)
    }
}

/// Takes an input: a byte that chooses the strategies, then what a server might send.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 1 else { return 0 }
    let data = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let decoder = decoders[Int(start[0]) % decoders.count]

    let isJSON = (try? JSONValue(parsing: data)) != nil
    let isRead = (try? decoder.decode(Everything.self, from: data)) != nil
    // The string of a second member with the same name is looked at by the reader alone.
    require(isRead || !isJSON, "the reader takes what the decoder refuses: \(String(decoding: data, as: UTF8.self))")
    compare(JSONSpecimen.self, data, decoder, isJSON)
    compare(JSONByHand.self, data, decoder, isJSON)
    return 0
}

/// What is JSON is what Foundation's decoder makes of it. What is none is refused where somebody asks for what is wrong
/// with it, which need not be the same by both.
private func compare<Value: Decodable & Equatable>(
    _ type: Value.Type,
    _ data: Data,
    _ decoder: JSONContentDecoder,
    _ isJSON: Bool
) {
    let ours = JSONOutcome { try decoder.decode(type, from: data) }
    guard isJSON, isTame(data) else { return }
    let theirs = JSONOutcome { try decoder.foundations.decode(type, from: data) }
    // Foundation looks at the members of a dictionary in any order, and so finds another error first.
    if case .error = ours, case .error = theirs { return }
    if let difference = ours.difference(from: theirs) {
        require(false, "\(difference): \(String(decoding: data, as: UTF8.self))")
    }
}

/// Whether no number has more digits than a `Double` tells apart, or a long exponent: Foundation rounds such ahead of
/// asking whether they are integers. And it refuses a zero with an exponent.
private func isTame(_ data: Data) -> Bool {
    let text = String(decoding: data, as: UTF8.self)
    return text.firstMatch(of: /[0-9.]{16}|[eE][+-]?[0-9]{3}|[^1-9]0[eE]/) == nil
}

/// Reads every value there is.
private struct Everything: Decodable {
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Name.self) {
            for name in object.allKeys { _ = try object.decode(Everything.self, forKey: name) }
        } else if var array = try? decoder.unkeyedContainer() {
            while !array.isAtEnd { _ = try array.decode(Everything.self) }
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() || (try? value.decode(Bool.self)) != nil || (try? value.decode(Double.self)) != nil {
                return
            }
            do {
                _ = try value.decode(String.self)
            } catch DecodingError.typeMismatch {
                // A number that is no `Double`.
            }
        }
    }
}

private let decoders = [
    JSONContentDecoder(),
    JSONContentDecoder(
        dateDecodingStrategy: .iso8601,
        nonConformingFloatDecodingStrategy: .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "-"
        ),
        keyDecodingStrategy: .convertFromSnakeCase
    ),
    JSONContentDecoder(dateDecodingStrategy: .millisecondsSince1970, dataDecodingStrategy: .deferredToData),
]
