internal import Foundation

/// Reads property lists in OpenStep text with Foundation, and converts the result.
enum OpenStepPropertyListReader {
    private typealias Reading = (value: PropertyListValue, weight: PropertyListWeight)

    /// Reads a property list from text in UTF-8, or with a byte order mark.
    static func read(_ data: Data, limits: PropertyListLimits) throws(PropertyListFault) -> PropertyListValue {
        let isUTF16 = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
        guard let text = String(data: data, encoding: isUTF16 ? .utf16 : .utf8) else {
            throw PropertyListFault("it is not text")
        }
        // Converted to UTF-8 without its mark, so that Foundation does not guess the encoding.
        let plain = Data(text.trimmingCharacters(in: CharacterSet(charactersIn: "\u{FEFF}")).utf8)
        guard PropertyListFormat(of: plain) == .openStep else {
            throw PropertyListFault("it mixes two formats")
        }
        var list: Any
        do {
            list = try PropertyListSerialization.propertyList(from: plain, options: [], format: nil)
        } catch {
            throw PropertyListFault("it is not valid OpenStep text")
        }
        return try reading(list, depth: 0, limits: limits).value
    }

    private static func reading(
        _ value: Any,
        depth: Int,
        limits: PropertyListLimits
    ) throws(PropertyListFault) -> Reading {
        try PropertyListWeight.check(depth: depth, limits: limits)
        switch value {
        case let string as String:
            return (.string(string), PropertyListWeight(bytes: string.utf8.count))
        case let data as Data:
            return (.data(data), PropertyListWeight(bytes: data.count))
        case let array as [Any]:
            var weight = PropertyListWeight.container
            var values: [PropertyListValue] = []
            for value in array {
                let reading = try reading(value, depth: depth + 1, limits: limits)
                try weight.add(reading.weight, limits: limits)
                values.append(reading.value)
            }
            return (.array(values), weight)
        case let dictionary as [String: Any]:
            var weight = PropertyListWeight.container
            var values: [String: PropertyListValue] = [:]
            for (name, value) in dictionary {
                let reading = try reading(value, depth: depth + 1, limits: limits)
                try weight.add(PropertyListWeight(bytes: name.utf8.count), limits: limits)
                try weight.add(reading.weight, limits: limits)
                values[name] = reading.value
            }
            return (.dictionary(values), weight)
        default:
            throw PropertyListFault("it has a value that OpenStep does not support")
        }
    }
}
