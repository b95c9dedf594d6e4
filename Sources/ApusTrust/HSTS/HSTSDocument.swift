internal import ApusCore
internal import Foundation

/// Reads and writes entries in curl's format: one line each, with the host and the time of its end in UTC.
///
/// ```
/// # Your HSTS cache. https://curl.se/docs/hsts.html
/// .example.org "20300101 00:00:00"
/// example.com "unlimited"
/// ```
///
/// A leading dot includes the hosts below. Lines that begin with `#` are comments.
enum HSTSDocument {
    private static let unlimited = "unlimited"

    static func data(of entries: [HSTSEntry]) -> Data {
        var text = "# Your HSTS cache. https://curl.se/docs/hsts.html\n"
        for entry in entries {
            text += (entry.includesSubdomains ? "." : "") + entry.host + " \"" + time(entry.expires) + "\"\n"
        }
        return Data(text.utf8)
    }

    /// Returns the time up to its second: `20300101 00:00:00`.
    private static func time(_ date: Date) -> String {
        guard date < .distantFuture else { return unlimited }
        let seconds = Int(max(date.timeIntervalSince1970.rounded(.down), 0))
        let day = CivilDate(daysSince1970: seconds / 86_400)
        let digits = day.year.padded(to: 4) + day.month.padded(to: 2) + day.day.padded(to: 2)
        return digits + " " + CivilDate.time(ofSecond: seconds % 86_400)
    }

    static func entries(in data: Data) throws(HSTSFileFault) -> [HSTSEntry] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw HSTSFileFault(description: "it is not UTF-8")
        }
        var entries: [HSTSEntry] = []
        // Split by bytes, because CR LF is a single `Character`.
        for (index, bytes) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = Substring(bytes).trimmingBlanks
            guard !line.isEmpty, line.utf8.first != UInt8(ascii: "#") else { continue }
            entries.append(try entry(in: line, number: index + 1))
        }
        return entries
    }

    private static func entry(in line: Substring, number: Int) throws(HSTSFileFault) -> HSTSEntry {
        let typed = line.prefix { $0 != " " && $0 != "\t" }
        let rest = line.dropFirst(typed.count).trimmingBlanks
        let includesSubdomains = typed.hasPrefix(".")
        guard let host = NormalizedHost(String(includesSubdomains ? typed.dropFirst() : typed)) else {
            throw HSTSFileFault(description: "line \(number) does not begin with a host")
        }
        guard !host.isAddress else {
            throw HSTSFileFault(description: "line \(number) has an IP address, which HSTS does not apply to")
        }
        guard rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\""),
            let expires = date(rest.dropFirst().dropLast())
        else {
            throw HSTSFileFault(description: "line \(number) does not end with a time like \"20300101 00:00:00\"")
        }
        return HSTSEntry(normalized: host.text, includesSubdomains: includesSubdomains, expires: expires)
    }

    private static func date(_ text: Substring) -> Date? {
        if text == unlimited { return .distantFuture }
        let bytes = Array(text.utf8)
        guard bytes.count == 17, bytes[8] == UInt8(ascii: " "), bytes[11] == UInt8(ascii: ":"),
            bytes[14] == UInt8(ascii: ":"), let year = number(bytes[0..<4]), let month = number(bytes[4..<6]),
            let day = number(bytes[6..<8]), let hour = number(bytes[9..<11]), let minute = number(bytes[12..<14]),
            let second = number(bytes[15..<17]), hour < 24, minute < 60, second <= 60,
            let civil = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let seconds = civil.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number
    }
}

/// The problem with an HSTS file.
struct HSTSFileFault: Error {
    let description: String
}

extension Substring {
    /// The text without spaces, tabs and carriage returns at its ends.
    fileprivate var trimmingBlanks: Substring {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let bytes = utf8.drop(while: isBlank)
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return "" }
        return Substring(bytes[...last])
    }
}
