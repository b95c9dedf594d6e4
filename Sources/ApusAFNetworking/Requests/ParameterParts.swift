internal import Apus
internal import ApusCore
internal import Foundation

/// Converts parameters to form parts: `key[sub]`, `key[]` for each array element, and the bare key for each member of a
/// set. Keys are sorted.
enum ParameterParts {
    /// A part: its name and its bytes.
    typealias Part = (name: String, content: Data)

    static func parts(of parameters: Parameters) throws(ApusError) -> [Part] {
        var parts: [Part] = []
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
            try append(value, named: key, depth: 1, to: &parts)
        }
        return parts
    }

    private static func append(
        _ value: ParameterValue,
        named name: String,
        depth: Int,
        to parts: inout [Part]
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
                try append(value, named: "\(name)[\(key)]", depth: depth + 1, to: &parts)
            }
        case .array(let values):
            for value in values { try append(value, named: "\(name)[]", depth: depth + 1, to: &parts) }
        case .set(let values):
            for value in try values.inOrder() { try append(value, named: name, depth: depth + 1, to: &parts) }
        case .null:
            parts.append((name, Data()))
        case .data(let data):
            parts.append((name, data))
        case .bool, .integer, .number, .decimal, .string, .date:
            parts.append((name, Data(try value.text().utf8)))
        }
    }
}

extension ParameterValue {
    /// Returns the value as in a query, after the equals sign. For a container, returns its whole query.
    fileprivate func text() throws(ApusError) -> String {
        if case .string(let text) = self { return text }
        let query = try QueryStringSerializer.string(from: ["": self])
        return PercentEncoding.decode(String(query.hasPrefix("=") ? query.dropFirst() : query[...]))
    }
}

extension Set<ParameterValue> {
    /// Returns the members, sorted by their text in a query.
    ///
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` if a query cannot represent a member.
    func inOrder() throws(ApusError) -> [ParameterValue] {
        var members: [(text: String, value: ParameterValue)] = []
        for value in self { members.append((try value.text(), value)) }
        return members.sorted { $0.text < $1.text }.map(\.value)
    }
}
