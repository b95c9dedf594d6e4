internal import Foundation

/// The contents of resume data: a part of a file, and the representation that it belongs to.
///
/// It names a file on this machine, and holds the URL of the request with its query. Other fields of the request are not
/// in it, since they may be secret.
struct ResumeData: Codable, Hashable, Sendable {
    /// Guards against data of another kind or version.
    private static let kind = "apus-resume-data-1"

    private let kind: String
    /// The path of the part.
    let path: String
    /// The destination of the file. `nil` if it was not chosen by then.
    let destination: String?
    /// The representation that the part belongs to.
    let record: PartialFileRecord

    init(path: String, destination: String?, record: PartialFileRecord) {
        self.kind = Self.kind
        self.path = path
        self.destination = destination
        self.record = record
    }

    /// Decodes resume data.
    ///
    /// - Throws: `ApusError` with the code `resumeDataInvalid`.
    init(_ data: Data) throws(ApusError) {
        guard let decoded = try? JSONDecoder().decode(ResumeData.self, from: data), decoded.kind == Self.kind,
            decoded.path.utf8.first == UInt8(ascii: "/"), !decoded.path.utf8.contains(0)
        else {
            throw ApusError(
                .resumeDataInvalid,
                "the resume data was not made by cancel(byProducingResumeData:), or is damaged; download the file anew"
            )
        }
        self = decoded
    }

    /// Encodes the resume data.
    var encoded: Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(self)
    }
}
