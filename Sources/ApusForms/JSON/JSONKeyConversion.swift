internal import ApusCore
internal import Foundation

/// What becomes of keys where they do not stay as they are.
final class JSONKeyConversion {
    private enum Style {
        case snakeCase
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    private let style: Style
    private var converted: [String: String] = [:]
    private var keeping: [ObjectIdentifier: Bool] = [:]

    /// Makes a conversion; `nil` where keys stay as they are.
    init?(_ strategy: JSONEncoder.KeyEncodingStrategy) throws(ParameterFault) {
        switch strategy {
        case .useDefaultKeys: return nil
        case .convertToSnakeCase: style = .snakeCase
        case .custom(let convert): style = .custom(convert)
        @unknown default: throw .unknown(strategy)
        }
    }

    /// What is written for a key in the value at a path; `nil` where it stays as it is.
    func written(_ key: some CodingKey, under path: @autoclosure () -> [any CodingKey]) -> String? {
        switch style {
        case .snakeCase: return snakeCase(of: key.stringValue)
        case .custom(let convert): return convert(path() + [key]).stringValue
        }
    }

    private func snakeCase(of key: String) -> String? {
        if key.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) { return nil }
        if let known = converted[key] { return known }
        let result = URLEncodedFormEncoder.KeyEncoding.snakeCase(of: key)
        converted[key] = result
        return result
    }

    /// Whether the keys of a type are data, and stay as they are: those of dictionaries by `String`.
    func keepsKeys<Value>(of type: Value.Type) -> Bool {
        if let known = keeping[ObjectIdentifier(type)] { return known }
        let result = type is any DictionaryOfNames.Type
        keeping[ObjectIdentifier(type)] = result
        return result
    }
}
