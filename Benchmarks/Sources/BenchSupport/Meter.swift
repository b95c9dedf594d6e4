internal import Foundation

/// Reads the resource usage of this process from the kernel.
enum Meter {
    /// Returns the processor time of this process in seconds, in user and kernel mode.
    static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// Returns the resident memory in bytes.
    static func residentBytes() -> Int { status("VmRSS") }

    /// Returns the peak of the resident memory in bytes, since the start or since ``resetPeak()``.
    static func peakResidentBytes() -> Int { status("VmHWM") }

    /// Resets the peak to the current resident memory.
    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// Returns the number of open sockets of this process.
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

/// The result of a run, which a client prints as one line of JSON.
struct Measurement: Codable {
    var requests: Int
    var bytes: Int
    var seconds: Double
    var cpuSeconds: Double
    /// The peak of the resident memory during the measurement. For the works about memory, the resident memory in the
    /// measured state.
    var residentBytes: Int
    /// The resident memory before the measurement.
    var baselineBytes: Int
    /// The number of open sockets at the end. For the works about memory, the number in the measured state.
    var sockets: Int

    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}
