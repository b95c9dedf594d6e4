internal import Apus

extension JSONEscape {
    /// Returns the decoded name of a string token in UTF-8, so that equal names compare equal. A name that can't be
    /// decoded, such as one with half a surrogate pair, is returned as written.
    static func name(_ token: ArraySlice<UInt8>) -> [UInt8] {
        let written = token.dropFirst().dropLast()
        return written.withUnsafeBytes { bytes in (try? text(of: bytes)).map { Array($0.utf8) } ?? Array(bytes) }
    }
}
