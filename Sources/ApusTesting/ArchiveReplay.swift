internal import Apus
internal import ApusCore

/// Finds the responses to requests in an HTTP archive.
final class ArchiveReplay: Sendable {
    /// The method, origin and path of a request.
    private struct Place: Hashable {
        let method: HTTPRequest.Method
        let origin: Origin
        let path: Substring
    }

    private struct Key: Hashable {
        let place: Place
        let query: ArchivedQuery
    }

    /// The recorded exchanges of identical requests, in their order.
    private struct Series {
        let method: HTTPRequest.Method
        let target: TargetURI
        let query: ArchivedQuery
        var entries: [HTTPArchive.Entry]
    }

    /// The maximum number of recorded requests in the error for a request that was not recorded.
    private static let nearestCount = 3

    private let series: [Series]
    private let indices: [Key: Int]
    private let indicesByPlace: [Place: [Int]]
    /// For each series, the index of its next entry.
    private let positions: Lock<[Int]>

    init(_ archive: HTTPArchive) {
        var series: [Series] = []
        var indices: [Key: Int] = [:]
        var indicesByPlace: [Place: [Int]] = [:]
        for entry in archive.entries {
            guard let method = HTTPRequest.Method(entry.request.method), let target = try? TargetURI(entry.request.url)
            else { continue }
            let key = Self.key(method, target)
            if let index = indices[key] {
                series[index].entries.append(entry)
            } else {
                indices[key] = series.count
                indicesByPlace[key.place, default: []].append(series.count)
                series.append(Series(method: method, target: target, query: key.query, entries: [entry]))
            }
        }
        self.positions = Lock(series.map { _ in 0 })
        self.series = series
        self.indices = indices
        self.indicesByPlace = indicesByPlace
    }

    private static func key(_ method: HTTPRequest.Method, _ target: TargetURI) -> Key {
        let path = target.path
        let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        let query = ArchivedQuery(path[mark...].dropFirst())
        return Key(place: Place(method: method, origin: target.origin, path: path[..<mark]), query: query)
    }

    /// Returns the next response to a request.
    ///
    /// - Throws: `ApusError` with the code `connectFailed` if there is none.
    func response(to request: RequestMessage) throws(ApusError) -> MockResponse {
        let key = Self.key(request.method, request.target)
        guard let index = index(of: key) else { throw unknown(request, key) }
        let entries = series[index].entries
        let position = positions.withLock { positions in
            let position = positions[index]
            positions[index] = min(position + 1, entries.count - 1)
            return position
        }
        return try MockResponse(entries[position], to: request)
    }

    /// Returns the series of an identical request, or else of one that differs only in redacted values.
    private func index(of key: Key) -> Int? {
        indices[key] ?? indicesByPlace[key.place]?.first { series[$0].query.covers(key.query) }
    }

    // MARK: Unknown requests

    private func unknown(_ request: RequestMessage, _ key: Key) -> ApusError {
        guard !series.isEmpty else { return ApusError(.connectFailed, "the archive has no requests") }
        let ranked = series.indices.map { (index: $0, likeness: likeness(series[$0], to: request)) }
            .sorted { ($0.likeness, $1.index) > ($1.likeness, $0.index) }
        let nearest = ranked.prefix(Self.nearestCount).map { description(of: series[$0.index], besides: key) }
        let list = nearest.joined(separator: ", ")
        return ApusError(.connectFailed, "the archive has no response to \(request); the most similar are \(list)")
    }

    /// Returns a number that is higher for more similar requests.
    private func likeness(_ recorded: Series, to request: RequestMessage) -> Int {
        let common = zip(recorded.target.uri.utf8, request.target.uri.utf8).prefix { $0 == $1 }.count
        return 2 * common + (recorded.method == request.method ? 1 : 0)
    }

    private func description(of recorded: Series, besides key: Key) -> String {
        let text = "\(recorded.method.rawValue) \(recorded.target)"
        guard Self.key(recorded.method, recorded.target).place == key.place else { return text }
        // The query's values are not shown, since they may be secrets.
        let names = recorded.query.differingNames(from: key.query).prefix(Self.nearestCount).map { "'\($0)'" }
        let difference = names.isEmpty ? "the number of its items" : names.joined(separator: ", ")
        return "\(text) (which differs in \(difference))"
    }
}
