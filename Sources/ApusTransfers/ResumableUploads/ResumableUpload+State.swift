internal import ApusCore
public import Foundation

extension ResumableUpload {
    /// The state from which an upload can be continued, by this process or another one.
    ///
    /// ```swift
    /// for await state in upload.states() {
    ///     try JSONEncoder().encode(state).write(to: stateFile, options: .atomic)
    /// }
    /// ```
    ///
    /// It is a small value of which a program keeps the latest. Later states differ only in the confirmed bytes, and an
    /// earlier one can be continued too: the server is always asked for its offset. The URL of the upload resource may
    /// be all that protects the upload, so keep the value as private as a password. Descriptions do not show it.
    public struct State: Codable, Hashable, Sendable {
        /// The file of an upload, with the facts that must not change until the upload is complete.
        struct File: Codable, Hashable, Sendable {
            var path: String
            /// The offset of the first byte of the upload in the file.
            var start: Int64
            var size: Int64
            var modificationSeconds: Int64
            var modificationNanoseconds: Int64
        }

        /// The URL of the upload resource.
        public let resource: String
        /// The length of the whole upload in bytes.
        public let length: Int64
        /// The number of bytes that the server has confirmed.
        public let offset: Int64
        /// The time at which the server may remove the upload resource. `nil` if the server has announced none.
        public let expiry: Date?
        /// The version of the draft that the server speaks.
        public let interopVersion: InteropVersion
        /// `nil` for a body that is no file.
        let file: File?

        /// The file that is uploaded. `nil` for a body that is no file.
        public var fileURL: URL? { file.map { URL(filePath: $0.path) } }
    }
}

extension ResumableUpload.State {
    /// Returns the body of the upload.
    ///
    /// - Parameter given: The body that the caller has. `nil` uses the file of the state.
    /// - Returns: The body, of which the first bytes are at the server.
    /// - Throws: `ApusError`: `fileUnreadable`, `fileChanged` if the file is another one or was changed, or
    ///   `invalidRequest` if there is no body, or if it has another length.
    func body(_ given: RequestBody?) throws(ApusError) -> RequestBody {
        guard length >= 0, (0...length).contains(offset) else {
            throw ApusError(.invalidRequest, "the state has the offset \(offset) of \(length) bytes, so it is damaged")
        }
        if let given {
            guard given.length == length else {
                let found = given.length.map { "\($0) bytes" } ?? "an unknown length"
                throw ApusError(.invalidRequest, "the body has \(found), but the upload has begun with \(length) bytes")
            }
            return given
        }
        guard let file else {
            throw ApusError(.invalidRequest, "the upload has no file", hint: "pass its body again")
        }
        let (end, isTooLong) = file.start.addingReportingOverflow(length)
        guard file.start >= 0, !isTooLong else {
            throw ApusError(.invalidRequest, "the state has a range of its file that can't be, so it is damaged")
        }
        let body = try RequestBody.file(URL(filePath: file.path), range: file.start..<end)
        guard Self.file(of: body) == file else {
            throw ApusError(.fileChanged, "'\(file.path)' has changed since the upload was begun").with(
                fileAt: file.path
            )
        }
        return body
    }

    /// Returns the file of a body, with its recorded facts. `nil` for a body that is no file.
    static func file(of body: RequestBody) -> File? {
        guard case .file(let content) = body.storage, let range = content.range else { return nil }
        return File(
            path: content.url.path(percentEncoded: false),
            start: range.lowerBound,
            size: content.identity.size,
            modificationSeconds: content.identity.modificationSeconds,
            modificationNanoseconds: content.identity.modificationNanoseconds
        )
    }
}

// Reflection would print the URL of the upload resource.
extension ResumableUpload.State: CustomStringConvertible, CustomReflectable {
    /// The number of confirmed bytes and the length.
    public var description: String { "upload of \(length) bytes, \(offset) confirmed" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
