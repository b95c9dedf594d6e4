internal import ApusCore
internal import ApusJSON
internal import Foundation
internal import FuzzDriver

@main enum JSONFuzz {
    static func main() {
        runFuzzer(testOneInput)
    }
}

/// Runs one input: a byte that selects the strategies, followed by the bytes of a server.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 1 else { return 0 }
    let data = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let decoder = decoders[Int(start[0]) % decoders.count]

    let isJSON = (try? JSONValue(parsing: data)) != nil
    let isRead = (try? decoder.decode(Everything.self, from: data)) != nil
    // Only the reader checks the strings of repeated members, so it may reject more than the decoder.
    require(isRead || !isJSON, "only the reader accepts: \(String(decoding: data, as: UTF8.self))")
    compare(JSONSpecimen.self, data, decoder, isJSON)
    compare(JSONByHand.self, data, decoder, isJSON)
    return 0
}

/// Checks that valid JSON decodes as by Foundation's decoder. Invalid JSON is only decoded, since both decoders report
/// an error only if the invalid part is requested.
private func compare<Value: Decodable & Equatable>(
    _ type: Value.Type,
    _ data: Data,
    _ decoder: JSONContentDecoder,
    _ isJSON: Bool
) {
    let ours = JSONOutcome { try decoder.decode(type, from: data) }
    guard isJSON, isTame(data) else { return }
    let theirs = JSONOutcome { try decoder.foundationDecoder.decode(type, from: data) }
    // Foundation visits the members of a dictionary in any order, so it may find another error first.
    if case .error = ours, case .error = theirs { return }
    if let difference = ours.difference(from: theirs) {
        require(false, "\(difference): \(String(decoding: data, as: UTF8.self))")
    }
}

/// Returns whether Foundation handles all numbers exactly. It rounds numbers with many digits or a long exponent before
/// it checks whether they are integers, and rejects a zero with an exponent.
private func isTame(_ data: Data) -> Bool {
    let text = String(decoding: data, as: UTF8.self)
    return text.firstMatch(of: /[0-9.]{16}|[eE][+-]?[0-9]{3}|[^1-9]0[eE]/) == nil
}

/// Decodes all values.
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
                // A number that is not representable as a `Double`.
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
