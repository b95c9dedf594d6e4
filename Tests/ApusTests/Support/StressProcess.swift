import Foundation

/// The process of a stress test, and its settings from the environment.
///
/// `APUS_STRESS` sets the number of requests, for a process that runs only stress tests. `APUS_SEED` repeats a run.
enum StressProcess {
    /// Whether the process runs only stress tests. Otherwise its memory growth is not meaningful.
    static let isAlone = ProcessInfo.processInfo.environment["APUS_STRESS"] != nil
    static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    /// The number of requests, which is `usual` unless the environment sets it.
    static func count(usual: Int) -> Int {
        ProcessInfo.processInfo.environment["APUS_STRESS"].flatMap { Int($0) } ?? usual
    }

    /// The resident memory of the process in bytes, or zero where the system does not provide it. Pages of files are left
    /// out, since the system removes and reads those of the program as it likes.
    static var residentBytes: Int {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text?.split(separator: " ").prefix(3).compactMap { Int($0) } ?? []
        return pages.count == 3 ? (pages[1] - pages[2]) * 4096 : 0
    }
}
