internal import HTTPTypes
internal import NIOCore

@testable internal import ApusEngine

/// Decodes header blocks one after another, and keeps the lines and the error of the last one.
struct HPACKReading {
    private(set) var decoder: HPACKDecoder
    private(set) var headers: [HPACKHeader] = []
    private(set) var failure: HPACKError?

    init(tableBytes: Int = 4096) {
        decoder = HPACKDecoder(tableBytes: tableBytes)
    }

    mutating func read(_ block: [UInt8]) {
        var headers: [HPACKHeader] = []
        var failure: HPACKError?
        do throws(HPACKError) {
            try decoder.decode(ByteBuffer(bytes: block)) { (header: HPACKHeader) -> Bool in
                headers.append(header)
                return true
            }
        } catch {
            failure = error
        }
        self.headers = headers
        self.failure = failure
    }

    mutating func read(hex: String) {
        read(Self.octets(hex))
    }

    var lines: [String] { headers.map(\.line) }

    /// The lines of the dynamic table, beginning with the newest.
    var table: [String] {
        (0..<decoder.table.count).compactMap { (offset: Int) -> String? in
            decoder.table.header(at: offset)?.line
        }
    }

    /// Returns the bytes of a text of hexadecimal digits and spaces.
    static func octets(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { (digit: UInt8) -> Int? in HTTPOctets.hexValue(digit) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { (index: Int) -> UInt8 in
            UInt8(digits[index] * 16 + digits[index + 1])
        }
    }

    /// Returns the parts of a line as `HPACKHeader.line` writes it.
    static func parts(of line: String) -> (name: String, value: String) {
        let octets = Array(line.utf8)
        var end = 1
        while end < octets.count, octets[end] != UInt8(ascii: ":") { end += 1 }
        let name = String(decoding: octets.prefix(end), as: UTF8.self)
        let value = String(decoding: octets.dropFirst(end + 2), as: UTF8.self)
        return (name, value)
    }
}

extension HPACKHeader {
    /// The name as text, or `invalid`.
    var nameText: String {
        switch name {
        case .pseudo(let field): field.rawValue
        case .field(let name, _): name.rawName
        case .invalid: "invalid"
        }
    }

    /// The line as text.
    var line: String { "\(nameText): \(value)" }

    /// The bytes of the value. Only a field keeps bytes that are not UTF-8.
    var valueOctets: [UInt8] {
        guard let field else { return Array(value.utf8) }
        return field.withUnsafeBytesOfValue { (octets: UnsafeBufferPointer<UInt8>) -> [UInt8] in Array(octets) }
    }
}
