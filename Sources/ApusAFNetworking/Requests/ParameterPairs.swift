internal import Apus
internal import ApusCore
internal import Foundation

/// Converts parameters to pairs of a name and a value: `key[sub]`, `key[]` for each array element, and the bare key for
/// each member of a set. Keys are sorted. An array at the root has an empty key: `[]`.
enum ParameterPairs {
    enum Value {
        case null
        case text(String)
        case data(Data)
    }

    typealias Pair = (name: String, value: Value)

    static func pairs(of root: ParameterValue) throws(ApusError) -> [Pair] {
        var pairs: [Pair] = []
        try append(root, named: nil, depth: 0, to: &pairs)
        return pairs
    }

    /// Returns pairs as a form in an encoding other than UTF-8.
    ///
    /// See https://url.spec.whatwg.org/#urlencoded-serializing
    static func form(_ pairs: [Pair], in encoding: TextEncoding) throws(ApusError) -> Data {
        try encoding.requireASCII()
        var form = Data()
        for (index, (name, value)) in pairs.enumerated() {
            if index > 0 { form.append(UInt8(ascii: "&")) }
            appendEscaped(try encoding.data(name, of: "the name of the parameter \(Excerpt.quoted(name))"), to: &form)
            let text: String
            switch value {
            case .null: continue
            case .text(let value): text = value
            case .data(let value): text = value.base64EncodedString()
            }
            form.append(UInt8(ascii: "="))
            appendEscaped(try encoding.data(text, of: "the parameter \(Excerpt.quoted(name))"), to: &form)
        }
        return form
    }

    private static func append(
        _ value: ParameterValue,
        named name: String?,
        depth: Int,
        to pairs: inout [Pair]
    ) throws(ApusError) {
        guard depth <= URLEncodedFormEncoder.nestingLimit else {
            throw ApusError(
                .parameterEncodingFailed,
                "a parameter is nested deeper than \(URLEncodedFormEncoder.nestingLimit) levels"
            )
        }
        switch value {
        case .dictionary(let values):
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                try append(value, named: name.map { "\($0)[\(key)]" } ?? key, depth: depth + 1, to: &pairs)
            }
        case .array(let values):
            for value in values { try append(value, named: "\(name ?? "")[]", depth: depth + 1, to: &pairs) }
        case .set(let values):
            for value in ParameterValue.sorted(values) {
                try append(value, named: name ?? "", depth: depth + 1, to: &pairs)
            }
        case .null:
            pairs.append((name ?? "", .null))
        case .data(let data):
            pairs.append((name ?? "", .data(data)))
        case .bool, .integer, .number, .decimal, .string, .date:
            pairs.append((name ?? "", .text(try value.text())))
        }
    }

    /// Appends bytes, with all percent-encoded that a form must escape.
    private static func appendEscaped(_ bytes: Data, to form: inout Data) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "/"):
                form.append(byte)
            default:
                var escaped: [UInt8] = []
                PercentEncoding.append(byte, to: &escaped)
                form.append(contentsOf: escaped)
            }
        }
    }
}

extension ParameterValue {
    /// Returns a single value as in a query, after the equals sign.
    fileprivate func text() throws(ApusError) -> String {
        if case .string(let text) = self { return text }
        let query = try QueryStringSerializer.string(from: ["": self])
        return PercentEncoding.decode(String(query.hasPrefix("=") ? query.dropFirst() : query[...]))
    }
}
