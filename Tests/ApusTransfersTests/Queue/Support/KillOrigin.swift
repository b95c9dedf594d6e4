internal import ApusCore
internal import ApusPlatform
internal import ApusTestServer
internal import Foundation

/// The files that the children of a kill test download, and the responses with them, in small pieces.
///
/// It outlives the children. It looks at the part of a file when that is requested, and notes a fault unless the
/// request goes on exactly where the part ends. Pieces and requests are also its clock: a child is killed after some.
final class KillOrigin: Sendable {
    private struct State {
        var byteCounts: [Int] = []
        /// The bytes that were sent, also those that no child has received.
        var sentByteCount = 0
        var faults: [String] = []
        /// The number of pieces and requests until the child is killed.
        var countdown = 0
        var child: QueueChild?
    }

    private static let pieceBytes = 16 << 10
    private static let pieceInterval = Duration.milliseconds(2)

    /// The folder that the children download the files into.
    let folder: URL
    private let state = Lock(State())

    init(filling folder: URL) {
        self.folder = folder
    }

    // MARK: The files

    /// Adds a file. Returns its number.
    func addFile(byteCount: Int) -> Int {
        state.withLock { state in
            state.byteCounts.append(byteCount)
            return state.byteCounts.count - 1
        }
    }

    /// The sizes of the files, by their numbers.
    var byteCounts: [Int] { state.withLock { $0.byteCounts } }

    static func name(of number: Int) -> String { "file-\(number)" }

    /// Returns the location that a file is downloaded to.
    func destination(of number: Int) -> URL { folder.appending(path: Self.name(of: number)) }

    /// Returns the digest of a file in hexadecimal digits.
    static func sha256(of number: Int, byteCount: Int) -> String {
        var digest = DigestStream(.sha256)
        bytes(of: number, from: 0, count: byteCount).withUnsafeBytes { digest.update($0) }
        return digest.finish().map { $0.padded(to: 2, radix: 16) }.joined()
    }

    /// The files differ, so that a mix-up of two is noticed.
    private static func bytes(of number: Int, from offset: Int, count: Int) -> [UInt8] {
        TestServer.pattern(offset: offset + number * 89, count: count)
    }

    // MARK: The responses

    var sentByteCount: Int { state.withLock { $0.sentByteCount } }

    /// The first requests that did not go on where the part of the file ends.
    var faults: [String] { state.withLock { $0.faults } }

    func response(to request: TestRequest) -> TestResponse {
        tick()
        let number = Int(request.path.dropFirst()) ?? -1
        let byteCounts = byteCounts
        guard byteCounts.indices.contains(number) else { return .text("no such file", status: 404) }
        let byteCount = byteCounts[number]
        let tag = "\"v\(number)\""
        let range = request["Range"]
        check(range, of: number, byteCount: byteCount)
        let start = range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        guard let start, (0..<byteCount).contains(start), request["If-Range"] == tag else {
            return TestResponse(fields: [("ETag", tag)], body: body(of: number, 0..<byteCount))
        }
        return TestResponse(
            status: 206,
            fields: [("ETag", tag), ("Content-Range", "bytes \(start)-\(byteCount - 1)/\(byteCount)")],
            body: body(of: number, start..<byteCount)
        )
    }

    /// A child that requests a file has opened its part, and writes to it after the response has begun.
    private func check(_ range: String?, of number: Int, byteCount: Int) {
        let destination = destination(of: number)
        let part = destination.appendingPathExtension("part").path(percentEncoded: false)
        let kept = FileStatus(path: part).map { Int($0.size) } ?? 0
        // The last byte of a complete part is requested again.
        let expected = kept == 0 ? nil : "bytes=\(kept == byteCount ? kept - 1 : kept)-"
        if range != expected {
            note("file \(number): requested \(range ?? "all"), but its part has \(kept) of \(byteCount) bytes")
        }
        if FileStatus.isTaken(destination.path(percentEncoded: false)) {
            note("file \(number): requested although it is complete")
        }
    }

    private func note(_ fault: String) {
        state.withLock { state in
            if state.faults.count < 20 { state.faults.append(fault) }
        }
    }

    private func body(of number: Int, _ range: Range<Int>) -> TestResponse.Body {
        guard !range.isEmpty else { return .empty }
        return .generated(length: range.count, interval: Self.pieceInterval) { [self] index in
            let start = range.lowerBound + index * Self.pieceBytes
            let count = min(Self.pieceBytes, range.upperBound - start)
            guard count > 0 else { return nil }
            state.withLock { $0.sentByteCount += count }
            tick()
            return Self.bytes(of: number, from: start, count: count)
        }
    }

    // MARK: The kill

    /// Kills a child after some pieces and requests.
    func kill(_ child: QueueChild, after count: Int) {
        state.withLock { state in
            state.countdown = count
            state.child = child
        }
    }

    /// Forgets the child that was to be killed.
    func disarm() {
        let child = state.withLock { $0.child.take() }
        withExtendedLifetime(child) {}
    }

    private func tick() {
        let child = state.withLock { state -> QueueChild? in
            guard state.child != nil else { return nil }
            state.countdown -= 1
            return state.countdown > 0 ? nil : state.child.take()
        }
        child?.stop()
    }
}
