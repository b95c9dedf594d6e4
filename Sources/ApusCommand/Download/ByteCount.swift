internal import Apus

/// Formats sizes for display.
enum ByteCount {
    /// Returns a size in decimal units, with one decimal from 1 kB up: `999 B`, `1.5 kB`, `29.1 MB`.
    static func text(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(max(0, count)) B" }
        var value = Double(count) / 1000
        var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
        // 999.95 would round up to 1000.0.
        while value >= 999.95, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        return "\(decimal(value)) \(units.first ?? "")"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
