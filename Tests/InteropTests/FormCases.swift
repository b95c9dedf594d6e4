internal import Apus
internal import ApusTestServer
internal import Foundation

/// Values, the options to encode them with, and the expected pairs.
///
/// The expected pairs are computed here independently of the encoder.
struct FormCase {
    enum Arrays: CaseIterable { case brackets, noBrackets, indexInBrackets }
    enum Nulls: CaseIterable { case dropKey, dropValue, null, keyAlone }

    let root: FormNode
    private let arrays: Arrays
    private let nulls: Nulls
    private let hasDots: Bool
    private let hasLiteralBools: Bool
    private let hasPluses: Bool
    private let isSorted: Bool
    private let escapesAllMarks: Bool

    init(_ hostile: inout Hostile, count: Int = 6) {
        arrays = Arrays.allCases[hostile.number(below: 3)]
        nulls = Nulls.allCases[hostile.number(below: 4)]
        hasDots = hostile.isOne(of: 4)
        hasLiteralBools = hostile.isOne(of: 2)
        hasPluses = hostile.isOne(of: 2)
        isSorted = hostile.isOne(of: 2)
        escapesAllMarks = hostile.isOne(of: 4)
        root = .object(of: &hostile, count: count)
    }

    var encoder: URLEncodedFormEncoder {
        var encoder = URLEncodedFormEncoder(
            alphabetizeKeyValuePairs: isSorted,
            boolEncoding: hasLiteralBools ? .literal : .numeric,
            keyPathEncoding: hasDots ? .dots : .brackets,
            spaceEncoding: hasPluses ? .plusReplaced : .percentEscaped,
            allowedCharacters: escapesAllMarks ? .alphanumerics : .afURLQueryAllowed
        )
        switch arrays {
        case .brackets: encoder.arrayEncoding = .brackets
        case .noBrackets: encoder.arrayEncoding = .noBrackets
        case .indexInBrackets: encoder.arrayEncoding = .indexInBrackets
        }
        switch nulls {
        case .dropKey: encoder.nilEncoding = .dropKey
        case .dropValue: encoder.nilEncoding = .dropValue
        case .null: encoder.nilEncoding = .null
        case .keyAlone: encoder.nilEncoding = .keyAlone
        }
        return encoder
    }

    var meant: [FormPair] { pairs(of: root, at: nil) }

    private func pairs(of node: FormNode, at path: String?) -> [FormPair] {
        let name = path ?? ""
        switch node {
        case .bool(let value):
            return [FormPair(name: name, value: hasLiteralBools ? "\(value)" : value ? "1" : "0")]
        case .integer(let value): return [FormPair(name: name, value: "\(value)")]
        case .text(let value): return [FormPair(name: name, value: value)]
        case .data(let value): return [FormPair(name: name, value: value.base64EncodedString())]
        case .null:
            switch nulls {
            case .dropKey: return []
            case .dropValue: return [FormPair(name: name, value: "")]
            case .null: return [FormPair(name: name, value: "null")]
            case .keyAlone: return [FormPair(name: name, value: nil)]
            }
        case .array(let nodes):
            var all: [FormPair] = []
            var index = 0
            for node in nodes {
                let end =
                    switch arrays {
                    case .brackets: "[]"
                    case .noBrackets: ""
                    case .indexInBrackets: "[\(index)]"
                    }
                let pairs = pairs(of: node, at: name + end)
                index += pairs.isEmpty ? 0 : 1
                all += pairs
            }
            return all
        case .object(var members):
            if isSorted { members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
            return members.flatMap { member in
                let isNested = path != nil
                let end = !isNested ? member.name : hasDots ? ".\(member.name)" : "[\(member.name)]"
                return pairs(of: member.node, at: name + end)
            }
        }
    }
}

/// An encoded form for the other implementations.
struct WrittenForm: Encodable {
    let kind = "form"
    let number: Int
    let contentType: String?
    let meant: [[String?]]
    let body: Data

    private enum CodingKeys: CodingKey {
        case kind, number, contentType, meant, body
    }

    /// Encodes the case into the body of a request.
    init(_ form: FormCase, number: Int) throws {
        let encoder = URLEncodedFormParameterEncoder(encoder: form.encoder, destination: .httpBody)
        let request = try encoder.encode(form.root, into: RequestMessage("https://example.org/", method: .post))
        guard case .bytes(let chunk) = request.body.storage else { throw CaseFault("the content is not in memory") }
        self.number = number
        self.contentType = request.fields[.contentType]
        self.meant = form.meant.map { [$0.name, $0.value] }
        self.body = Data(chunk)
    }
}
