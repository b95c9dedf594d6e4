internal import ApusCore
internal import ApusJSON
internal import Foundation

/// Reads XML property lists.
struct XMLPropertyListReader {
    private typealias Reading = (value: PropertyListValue, weight: PropertyListWeight)

    private var events: XMLEventParser
    private let limits: PropertyListLimits

    /// Reads a property list.
    static func read(_ data: Data, limits: PropertyListLimits) throws(ApusError) -> PropertyListValue {
        // One level for `plist`, one for a string's element, one more so that this reader reports the error.
        let xml = XMLLimits(maximumBytes: limits.maximumBytes, maximumDepth: PropertyListValue.deepestNesting + 3)
        // Foundation writes and reads carriage returns unchanged.
        let events = try XMLEventParser(data, charset: nil, limits: xml, keepsReturns: true)
        var reader = XMLPropertyListReader(events: events, limits: limits)
        return try reader.document()
    }

    private mutating func document() throws(ApusError) -> PropertyListValue {
        guard let root = try nextElement() else { throw fault("it is empty") }
        guard root == "plist" else {
            let reading = try value(root, depth: 0)
            _ = try nextElement()
            return reading.value
        }
        guard let name = try nextElement() else { throw fault("it is empty") }
        let reading = try value(name, depth: 0)
        guard try nextElement() == nil else { throw fault("it has more than one value") }
        // Content after the property list is ignored, but must be well-formed XML.
        _ = try nextElement()
        return reading.value
    }

    /// Returns the name of the next element in the open one. `nil` at the end of that element or the document.
    private mutating func nextElement() throws(ApusError) -> String? {
        while let event = try events.next() {
            switch event {
            case .startElement(let name, _): return name.local
            case .endElement: return nil
            case .text(let text) where text.utf8.allSatisfy(XMLCharacters.isWhitespace): break
            case .text, .cdata: throw fault("there is text where a value is expected")
            case .declaration, .documentType, .comment, .processingInstruction: break
            }
        }
        return nil
    }

    /// Returns all text up to the end of the open element.
    private mutating func text() throws(ApusError) -> String {
        var text = ""
        while let event = try events.next() {
            switch event {
            case .text(let piece), .cdata(let piece): text += piece
            case .endElement: return text
            case .startElement: throw fault("there is an element where text is expected")
            case .declaration, .documentType, .comment, .processingInstruction: break
            }
        }
        return text
    }

    private mutating func value(_ name: String, depth: Int) throws(ApusError) -> Reading {
        switch name {
        case "dict": return try dictionary(depth: depth + 1)
        case "array": return try array(depth: depth + 1)
        case "string":
            let text = try text()
            return (.string(text), PropertyListWeight(bytes: text.utf8.count))
        case "data":
            let text = try text()
            let digits = String(decoding: text.utf8.filter { !XMLCharacters.isWhitespace($0) }, as: UTF8.self)
            guard let data = Data(base64Encoded: digits) else { throw fault("data is not valid Base64") }
            return (.data(data), PropertyListWeight(bytes: data.count))
        case "date":
            guard let date = PropertyListDate.parse(try trimmedText()) else { throw fault("a date is invalid") }
            return (.date(date), PropertyListWeight())
        case "integer":
            guard let integer = XMLPropertyListReader.integer(try trimmedText()) else {
                throw fault("a number is invalid")
            }
            return (.integer(integer), PropertyListWeight())
        case "real":
            guard let real = Double(try trimmedText()) else { throw fault("a number is invalid") }
            return (.real(real), PropertyListWeight())
        case "true", "false":
            guard try nextElement() == nil else { throw fault("the element '\(name)' is not empty") }
            return (.boolean(name == "true"), PropertyListWeight())
        default:
            throw fault("a property list has no element \(Excerpt.quoted(name))")
        }
    }

    private mutating func array(depth: Int) throws(ApusError) -> Reading {
        try check(depth)
        var values: [PropertyListValue] = []
        var weight = PropertyListWeight.container
        while let name = try nextElement() {
            let reading = try value(name, depth: depth)
            try add(reading.weight, to: &weight)
            values.append(reading.value)
        }
        return (.array(values), weight)
    }

    private mutating func dictionary(depth: Int) throws(ApusError) -> Reading {
        try check(depth)
        var values: [String: PropertyListValue] = [:]
        var weight = PropertyListWeight.container
        while let name = try nextElement() {
            guard name == "key" else { throw fault("there is a \(Excerpt.quoted(name)) where a key is expected") }
            let key = try text()
            guard let name = try nextElement() else { throw fault("the key \(Excerpt.quoted(key)) has no value") }
            let reading = try value(name, depth: depth)
            try add(PropertyListWeight(bytes: key.utf8.count), to: &weight)
            try add(reading.weight, to: &weight)
            if let index = values.index(forKey: key) {
                throw PropertyListFault.twice(key, known: values.keys[index]).error(at: events.position)
            }
            values[key] = reading.value
        }
        return (.dictionary(values), weight)
    }

    private mutating func trimmedText() throws(ApusError) -> String {
        try text().trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Parses an integer, in decimal or hexadecimal digits.
    private static func integer(_ text: String) -> Int128? {
        var digits = text[...]
        let sign = digits.first == "-" || digits.first == "+" ? digits.removeFirst() : "+"
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHexadecimal { digits.removeFirst(2) }
        guard digits.utf8.first.map({ $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }) ?? false,
            let integer = Int128("\(sign)\(digits)", radix: isHexadecimal ? 16 : 10),
            integer >= Int128(Int64.min), integer <= Int128(UInt64.max)
        else { return nil }
        return integer
    }

    private mutating func check(_ depth: Int) throws(ApusError) {
        do throws(PropertyListFault) {
            try PropertyListWeight.check(depth: depth, limits: limits)
        } catch {
            throw error.error(at: events.position)
        }
    }

    private mutating func add(
        _ weight: PropertyListWeight,
        to whole: inout PropertyListWeight
    ) throws(ApusError) {
        do throws(PropertyListFault) {
            try whole.add(weight, limits: limits)
        } catch {
            throw error.error(at: events.position)
        }
    }

    private mutating func fault(_ message: String) -> ApusError {
        PropertyListFault(message).error(at: events.position)
    }
}
