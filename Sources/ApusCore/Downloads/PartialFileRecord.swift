internal import ApusJSON
internal import Foundation

/// The properties of the representation that the bytes of a part belong to. Stored beside the part as JSON.
///
/// The JSON has a version and a checksum of its members. A damaged record, or one of another version, can't be decoded.
package struct PartialFileRecord: Hashable, Sendable {
    /// The absolute URL without a fragment.
    package var url: String
    /// The validator of the representation. `nil` if the response had no strong one.
    package var validator: EntityValidator?
    /// The size of the whole representation in bytes. `nil` if it is not known.
    package var total: Int64?
    /// The ranges that have arrived, of a file that is fetched in segments. `nil` if the part has no gaps.
    package var segments: ReceivedRanges?

    /// - Parameters:
    ///   - url: The absolute URL without a fragment.
    ///   - validator: The validator of the representation.
    ///   - total: The size of the whole representation in bytes, if it is known.
    ///   - segments: The ranges that have arrived, of a file that is fetched in segments. Default: `nil`.
    package init(url: String, validator: EntityValidator?, total: Int64?, segments: ReceivedRanges? = nil) {
        self.url = url
        self.validator = validator
        self.total = total
        self.segments = segments
    }

    /// Returns whether the part may be continued from a URL. A validator identifies the version of one resource, so the
    /// URL must be the same. With a validator its query may be another one, such as the new signature of a storage
    /// service.
    package func belongs(to url: String) -> Bool {
        if self.url == url { return true }
        return validator != nil && self.url.prefix { $0 != "?" } == url.prefix { $0 != "?" }
    }
}

extension PartialFileRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, url, entityTag, lastModified, total, segments, checksum
    }

    /// The version of the JSON.
    private static let version = 1

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version,
                in: container,
                debugDescription: "the record has the version \(version), and not \(Self.version)"
            )
        }
        self.url = try container.decode(String.self, forKey: .url)
        self.total = try container.decodeIfPresent(Int64.self, forKey: .total)
        if let tag = try container.decodeIfPresent(String.self, forKey: .entityTag) {
            self.validator = .entityTag(tag)
        } else if let date = try container.decodeIfPresent(String.self, forKey: .lastModified) {
            self.validator = .lastModified(date)
        } else {
            self.validator = nil
        }
        let bounds = try container.decodeIfPresent([Int64].self, forKey: .segments)
        self.segments = bounds.flatMap { ReceivedRanges(bounds: $0) }
        guard (bounds == nil) == (segments == nil) else {
            throw DecodingError.dataCorruptedError(
                forKey: .segments,
                in: container,
                debugDescription: "the segments overlap or are not in order"
            )
        }
        guard try container.decode(String.self, forKey: .checksum) == checksum, isPlausible else {
            throw DecodingError.dataCorruptedError(
                forKey: .checksum,
                in: container,
                debugDescription: "the record is damaged"
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(url, forKey: .url)
        try container.encodeIfPresent(entityTag, forKey: .entityTag)
        try container.encodeIfPresent(lastModified, forKey: .lastModified)
        try container.encodeIfPresent(total, forKey: .total)
        try container.encodeIfPresent(segments?.bounds, forKey: .segments)
        try container.encode(checksum, forKey: .checksum)
    }

    private var entityTag: String? {
        guard case .entityTag(let tag)? = validator else { return nil }
        return tag
    }

    private var lastModified: String? {
        guard case .lastModified(let date)? = validator else { return nil }
        return date
    }

    private var checksum: String {
        var members = ["\(Self.version)", url, entityTag ?? "", lastModified ?? "", total.map { "\($0)" } ?? ""]
        // Not in the checksum of other records, which are those of earlier versions.
        if let segments { members.append(segments.bounds.map { "\($0)" }.joined(separator: ",")) }
        return StableHash.fnv1a(members.joined(separator: "\u{0}").utf8).padded(to: 16, radix: 16)
    }

    /// Whether the values could be those of a response. The validator is sent in a field.
    private var isPlausible: Bool {
        let text = entityTag ?? lastModified ?? ""
        let end = segments?.ranges.last?.upperBound ?? 0
        return total ?? 0 >= 0 && end <= total ?? .max && !url.isEmpty
            && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

extension PartialFileRecord {
    /// The size of the largest file. The record of a longer URL is not stored.
    static let limitBytes = 1 << 20

    /// Reads a record. Blocks. Does not follow a symbolic link.
    ///
    /// - Returns: The record, or `nil` if it is missing, can't be read, is damaged, too large, or of another version.
    static func read(at path: String) -> PartialFileRecord? {
        let file = PrivateFile(at: path, followsLinks: false, limitBytes: limitBytes)
        guard let data = try? file.read() else { return nil }
        return try? JSONContentDecoder().decode(PartialFileRecord.self, from: data)
    }

    /// Returns the path of a record while it is written. It is always the same, so that the next download to the same
    /// file finds and removes what a kill has left.
    static func temporaryPath(of path: String) -> String {
        let folder = FilePlacement.folder(of: path)
        let name = path.utf8.dropFirst(folder.utf8.count)
        return "\(folder).apus-\(StableHash.fnv1a(name).padded(to: 16, radix: 16)).json"
    }

    /// Writes the record as a whole, readable by its owner only. Blocks until it is on the disk. A symbolic link is
    /// itself replaced. A record that would be too large is not written. Only the owner of the part may call it.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func write(to path: String) throws(ApusError) {
        let data: Data
        do {
            data = try JSONContentEncoder().encode(self)
        } catch {
            throw ApusError(.fileUnwritable, "'\(path)' can't be written", underlying: error).with(fileAt: path)
        }
        guard data.count <= Self.limitBytes else { return }
        let file = PrivateFile(at: path, followsLinks: false, limitBytes: Self.limitBytes)
        try file.write(data, through: Self.temporaryPath(of: path))
    }
}
