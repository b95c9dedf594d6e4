internal import Apus
internal import ApusPlatform
internal import Foundation

extension QueuedTransfer {
    /// The number of bytes that were transferred so far: those of the file or of its part, or those of an upload that
    /// the server has confirmed. Reads the properties of the part.
    var currentByteCount: Int64 {
        if let file { return file.byteCount }
        if let upload = transfer.upload { return state == .finished ? upload.byteCount : confirmedByteCount ?? 0 }
        let part = "\(transfer.destination.path(percentEncoded: false)).part"
        // The size of a part with segments includes its gaps.
        let record = FileManager.default.contents(atPath: "\(part).json")
            .flatMap { try? JSONContentDecoder().decode(PartialFileRecord.self, from: $0) }
        return record?.segments?.byteCount ?? FileStatus(path: part)?.size ?? 0
    }
}
