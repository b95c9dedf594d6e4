/// Formats sizes for display.
package enum ByteCount {
    /// Returns a size in decimal units, with one decimal from 1 kB up: `999 B`, `1.5 kB`, `29.1 MB`.
    package static func text(_ count: Int64) -> String {
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

    /// Returns a number of bytes per second in the same units: `1.5 kB/s`.
    package static func rate(_ bytesPerSecond: Double) -> String {
        // Only a number in the range of `Int64` can be converted.
        let isPlausible = bytesPerSecond > 0 && bytesPerSecond < 9e18
        return "\(text(isPlausible ? Int64(bytesPerSecond) : 0))/s"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
