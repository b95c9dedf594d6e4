/// What must not reach a terminal, or a name that a terminal shows.
package enum ControlCharacters {
    /// Whether a terminal does something on `scalar`, other than showing it or starting a new line.
    package static func steers(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F: true
        default: false
        }
    }
}
