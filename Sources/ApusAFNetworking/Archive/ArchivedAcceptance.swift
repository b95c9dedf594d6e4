internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The responses that a response serializer accepts, in an archive.
struct ArchivedAcceptance: Codable, Hashable {
    /// The ranges of status codes: the first code of each and the one after its last.
    private let statusCodes: [[Int]]?
    private let contentTypes: [String]?

    init(_ serializer: some AFHTTPResponseSerialization) {
        self.statusCodes = serializer.acceptableStatusCodes?.rangeView.map { [$0.lowerBound, $0.upperBound] }
        self.contentTypes = serializer.acceptableContentTypes?.sorted()
    }

    func applied<Serializer: AFHTTPResponseSerialization>(to base: Serializer) throws(ApusError) -> Serializer {
        var serializer = base
        serializer.acceptableContentTypes = contentTypes.map { Set($0) }
        serializer.acceptableStatusCodes = nil
        guard let statusCodes else { return serializer }
        var codes = IndexSet()
        for run in statusCodes {
            guard run.count == 2, run[0] >= 0, run[0] < run[1], run[1] <= Int(Int32.max) else {
                throw .archived("invalid status codes")
            }
            codes.insert(integersIn: run[0]..<run[1])
        }
        serializer.acceptableStatusCodes = codes
        return serializer
    }
}
