internal import Apus
internal import ApusCore
internal import Foundation

/// Parameters as the parts of a form: `key[sub]`, `key[]` for each element of an array, the bare key for each member of a
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
                "a parameter is nested deeper than \(URLEncodedFormEncoder.nestingLimit) times"
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
    /// What stands behind the equals sign in a query; of a container, all that a query has of it.
    fileprivate func text() throws(ApusError) -> String {
        if case .string(let text) = self { return text }
        let query = try QueryStringSerializer.string(from: ["": self])
        return PercentEncoding.decode(String(query.hasPrefix("=") ? query.dropFirst() : query[...]))
    }
}

extension Set<ParameterValue> {
    /// The members, sorted by what a query has of them.
    ///
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, where a member is nothing that a query can have.
    func inOrder() throws(ApusError) -> [ParameterValue] {
        var members: [(text: String, value: ParameterValue)] = []
        for value in self { members.append((try value.text(), value)) }
        return members.sorted { $0.text < $1.text }.map(\.value)
    }
}
