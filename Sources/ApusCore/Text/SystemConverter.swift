internal import ApusPlatform
internal import Foundation

#if canImport(Darwin)
    internal import CoreFoundation
#endif

/// An encoding with several bytes per character, decoded by a table of the system.
package enum SystemCharset: String, CaseIterable, Sendable {
    case gbk = "GBK"
    case gb18030
    case big5 = "Big5"
    case shiftJIS = "Shift_JIS"
    case eucKR = "EUC-KR"
}

#if canImport(Darwin)

    /// Decodes bytes with a table of the system.
    final class SystemConverter {
        /// The available tables.
        enum Table {
            case gb18030, big5, shiftJIS, jisX0212, eucKR

            /// The number of the encoding in Core Foundation.
            fileprivate var number: CFStringEncoding {
                switch self {
                case .gb18030: 0x0632
                case .big5: 0x0A06
                case .shiftJIS: 0x0420
                case .jisX0212: 0x0920
                case .eucKR: 0x0422
                }
            }
        }

        private let encoding: String.Encoding

        /// Opens a table. `nil` if the system lacks it.
        init?(_ table: Table) {
            guard CFStringIsEncodingAvailable(table.number) else { return nil }
            encoding = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(table.number))
        }

        /// Appends the bytes as UTF-8.
        ///
        /// - Returns: The number of bytes decoded. Fewer than given if the next ones are not a valid character.
        func append(_ bytes: UnsafeRawBufferPointer, to utf8: inout [UInt8]) -> Int {
            guard let string = String(data: Data(bytes), encoding: encoding) else { return 0 }
            utf8.append(contentsOf: string.utf8)
            return bytes.count
        }
    }

#else

    /// Decodes bytes with a table of the system, which may be a file that is not installed.
    final class SystemConverter {
        /// The available tables.
        enum Table {
            case gb18030, big5, shiftJIS, jisX0212, eucKR

            /// The names of the table in C libraries. The first known name is used.
            fileprivate var names: [String] {
                switch self {
                case .gb18030: ["GB18030"]
                case .big5: ["BIG5-HKSCS", "BIG5"]
                case .shiftJIS: ["CP932", "SHIFT_JIS"]
                case .jisX0212: ["EUC-JP-MS", "EUC-JP"]
                case .eucKR: ["UHC", "CP949"]
                }
            }
        }

        private let descriptor: iconv_t
        private let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 4096)

        /// Opens a table. `nil` if the system lacks it.
        init?(_ table: Table) {
            let descriptor = table.names.lazy.compactMap { name -> iconv_t? in
                let opened: iconv_t? = iconv_open("UTF-8", name)
                return opened == UnsafeMutableRawPointer(bitPattern: -1) ? nil : opened
            }.first
            guard let descriptor else { return nil }
            self.descriptor = descriptor
        }

        deinit {
            _ = iconv_close(descriptor)
            buffer.deallocate()
        }

        /// Appends the bytes as UTF-8.
        ///
        /// - Returns: The number of bytes decoded. Fewer than given if the next ones are not a valid character.
        func append(_ bytes: UnsafeRawBufferPointer, to utf8: inout [UInt8]) -> Int {
            guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return 0 }
            var source: UnsafeMutablePointer<CChar>? = UnsafeMutablePointer(mutating: start)
            var left = bytes.count
            // Reset the state left by previous calls.
            _ = iconv(descriptor, nil, nil, nil, nil)
            while true {
                let before = left
                var target = buffer.baseAddress
                var room = buffer.count
                // Without a source, iconv writes output that it has held back.
                let isAtEnd = left == 0
                let result =
                    isAtEnd
                    ? iconv(descriptor, nil, nil, &target, &room) : iconv(descriptor, &source, &left, &target, &room)
                let isFull = result == -1 && errno == E2BIG
                utf8.append(contentsOf: UnsafeRawBufferPointer(buffer)[..<(buffer.count - room)])
                if isAtEnd { return bytes.count }
                // Continue after a full buffer, as long as there is progress.
                guard result != -1 || isFull && (left < before || room < buffer.count) else {
                    return bytes.count - left
                }
            }
        }
    }

#endif

extension SystemCharset {
    private var table: SystemConverter.Table {
        switch self {
        case .gbk, .gb18030: .gb18030
        case .big5: .big5
        case .shiftJIS: .shiftJIS
        case .eucKR: .eucKR
        }
    }

    /// Whether the system has the table of this encoding.
    var isSupported: Bool { SystemConverter(table) != nil }

    /// Returns the text of the bytes, or `nil` if they are not valid or the system lacks the table.
    func string(_ bytes: UnsafeRawBufferPointer) -> String? {
        if self == .big5 { return Big5Text.string(bytes) }
        guard let converter = SystemConverter(table) else { return nil }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count + bytes.count / 2)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = converter.append(UnsafeRawBufferPointer(rebasing: rest), to: &utf8)
            rest = rest.dropFirst(count)
            guard let byte = rest.first else { break }
            // Windows maps this byte to the euro sign, while GB 18030 leaves it unassigned.
            guard table == .gb18030, byte == 0x80 else { return nil }
            utf8.append(contentsOf: "€".utf8)
            rest = rest.dropFirst()
        }
        return String(validating: utf8, as: UTF8.self)
    }
}
