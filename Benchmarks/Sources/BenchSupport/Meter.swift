internal import Foundation

/// Reads what the kernel says about this process.
enum Meter {
    /// Seconds of processor time that this process has used, its own and the kernel's for it.
    static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// Bytes resident now.
    static func residentBytes() -> Int { status("VmRSS") }

    /// The most bytes that were resident since the start, or since ``resetPeak()``.
    static func peakResidentBytes() -> Int { status("VmHWM") }

    /// Lets the peak start anew from what is resident now.
    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// How many sockets this process has open.
    static func openSocketCount() -> Int {
        let directory = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
            return target?.hasPrefix("socket:") ?? false
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func status(_ key: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix("\(key):") {
            let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            return (number.flatMap { Int($0) } ?? 0) * 1024
        }
        return 0
    }
}

/// The one line of JSON that a client prints.
struct Measurement: Codable {
    var requests: Int
    var bytes: Int
    var seconds: Double
    var cpuSeconds: Double
    /// The most that was resident while it was measured; for the works about memory, what was
    /// resident when the state was reached.
    var residentBytes: Int
    /// What was resident just before.
    var baselineBytes: Int
    /// Sockets open at the end, or, for the works about memory, when the state was reached.
    var sockets: Int

    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}
