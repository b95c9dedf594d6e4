internal import Foundation

/// Reads and writes certificates in PEM, RFC 7468.
enum PEMText {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let labels = ["CERTIFICATE-----", "X509 CERTIFICATE-----"].map { Array($0.utf8) }

    /// Returns the certificates of a text, in order. A block that is no certificate is `nil`.
    ///
    /// Text between the blocks, and blocks of other kinds such as keys, are ignored. Lines can end in any way.
    static func certificates(in text: [UInt8]) -> [CertificateOutline?] {
        var found: [CertificateOutline?] = []
        var position = 0
        while let start = index(of: begin, in: text, from: position) {
            position = start + begin.count
            guard let label = labels.first(where: { matches($0, text, at: position) }) else { continue }
            position += label.count
            guard let stop = index(of: dashes, in: text, from: position), matches(end + label, text, at: stop) else {
                found.append(nil)
                continue
            }
            found.append(decode(text[position..<stop]).flatMap { CertificateOutline(derBytes: $0) })
            position = stop + end.count + label.count
        }
        return found
    }

    /// Returns certificates as PEM.
    static func text(of certificates: [[UInt8]]) -> String {
        certificates.map { derBytes in
            let lines = Data(derBytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
        }
        .joined()
    }

    private static func decode(_ base64: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = base64.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 && $0 != 0x09 }
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }

    private static func index(of marker: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        var position = start
        while let next = text[position...].firstIndex(of: marker[0]) {
            if matches(marker, text, at: next) { return next }
            position = next + 1
        }
        return nil
    }

    private static func matches(_ marker: [UInt8], _ text: [UInt8], at position: Int) -> Bool {
        text[position...].prefix(marker.count).elementsEqual(marker)
    }
}
