internal import Apus

extension JSONEscape {
    /// The name that a string token is, in UTF-8, so that two names that mean the same are the same; as it stands where
    /// it means none: half of a surrogate pair is no character.
    static func name(_ token: ArraySlice<UInt8>) -> [UInt8] {
        let written = token.dropFirst().dropLast()
        return written.withUnsafeBytes { bytes in (try? text(of: bytes)).map { Array($0.utf8) } ?? Array(bytes) }
    }
}
