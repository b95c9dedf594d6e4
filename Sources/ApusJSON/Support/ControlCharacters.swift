/// Characters that must not be written to a terminal, or appear in a name shown on one.
package enum ControlCharacters {
    /// Whether `scalar` controls a terminal, except for tabs and line feeds.
    package static func steers(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F: true
        default: false
        }
    }
}
