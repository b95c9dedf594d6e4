internal import ApusCore
package import Foundation

/// The bytes that are not escaped in a form, as a bit for each ASCII character.
package struct FormEscaping: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    package init(_ allowed: CharacterSet) {
        for code in UInt8(0)..<128 where code != 0x20 && allowed.contains(Unicode.Scalar(code)) {
            if code < 64 { low |= 1 << UInt64(code) } else { high |= 1 << UInt64(code - 64) }
        }
    }

    private func allows(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? low : byte < 128 ? high : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Appends `text`, with all characters percent-encoded that are not allowed.
    package func append(_ text: String, to output: inout [UInt8], _ space: URLEncodedFormEncoder.SpaceEncoding) {
        var text = text
        text.withUTF8 { append($0, to: &output, space) }
    }

    /// Appends `text`, with all characters percent-encoded that are not allowed.
    func append(
        _ text: UnsafeBufferPointer<UInt8>,
        to output: inout [UInt8],
        _ space: URLEncodedFormEncoder.SpaceEncoding
    ) {
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, allows(text[index]) { index += 1 }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            while index < text.count, !allows(text[index]) {
                let byte = text[index]
                if byte == 0x20, space == .plusReplaced {
                    output.append(UInt8(ascii: "+"))
                } else {
                    PercentEncoding.append(byte, to: &output)
                }
                index += 1
            }
        }
    }
}
