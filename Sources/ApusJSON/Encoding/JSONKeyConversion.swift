internal import Foundation

/// Converts keys by an encoding strategy.
final class JSONKeyConversion {
    private enum Style {
        case snakeCase
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }

    private let style: Style
    private var converted: [String: String] = [:]
    private var keeping: [ObjectIdentifier: Bool] = [:]

    /// Creates a conversion. `nil` if keys are not converted.
    init?(_ strategy: JSONEncoder.KeyEncodingStrategy) throws(EncodingFault) {
        switch strategy {
        case .useDefaultKeys: return nil
        case .convertToSnakeCase: style = .snakeCase
        case .custom(let convert): style = .custom(convert)
        @unknown default: throw .unknown(strategy)
        }
    }

    /// Returns the converted key in the value at a path. `nil` if the key is unchanged.
    func written(_ key: some CodingKey, under path: @autoclosure () -> [any CodingKey]) -> String? {
        switch style {
        case .snakeCase: return snakeCase(of: key.stringValue)
        case .custom(let convert): return convert(path() + [key]).stringValue
        }
    }

    private func snakeCase(of key: String) -> String? {
        if key.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) { return nil }
        if let known = converted[key] { return known }
        let result = SnakeCase.snakeCase(of: key)
        converted[key] = result
        return result
    }

    /// Returns whether the keys of a type are data and not converted, as in dictionaries by `String`.
    func keepsKeys<Value>(of type: Value.Type) -> Bool {
        if let known = keeping[ObjectIdentifier(type)] { return known }
        let result = type is any DictionaryOfNames.Type
        keeping[ObjectIdentifier(type)] = result
        return result
    }
}
