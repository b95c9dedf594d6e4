public import ApusCore
public import Foundation
public import HTTPTypes

/// Uploads that go on after an interruption.
extension Session {
    /// Creates an upload of a file that goes on after an interruption, if the server supports that.
    ///
    /// The file is checked when the upload starts, and read while it is sent. No `Content-Type` is added.
    ///
    /// - Parameters:
    ///   - fileURL: The file. It must not change until the upload is complete.
    ///   - url: The URL of the upload.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's default fields are added. Default: none.
    ///   - options: Options that override the session's settings, for each request of the upload. Default: none.
    ///   - policy: The number and the pace of attempts. Default: `ResumableUpload.Policy()`.
    /// - Returns: The upload, which does nothing until it is started. Errors are those of its response.
    public func uploadResumably(
        _ fileURL: URL,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        policy: ResumableUpload.Policy = ResumableUpload.Policy()
    ) -> ResumableUpload {
        let source = ResumableUpload.Source.new { [self] () throws(ApusError) in
            let body = try RequestBody.file(fileURL)
            return try transferRequest(url, method: method, fields: fields, body: body, options: options)
        }
        return ResumableUpload(session: self, source: source, policy: policy)
    }

    /// Creates an upload that goes on after an interruption, if the server supports that.
    ///
    /// - Parameters:
    ///   - body: The body: data, a file or a part of one, or a replayable stream with a length.
    ///   - url: The URL of the upload.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's default fields are added. Default: none.
    ///   - options: Options that override the session's settings, for each request of the upload. Default: none.
    ///   - policy: The number and the pace of attempts. Default: `ResumableUpload.Policy()`.
    /// - Returns: The upload, which does nothing until it is started. Errors are those of its response:
    ///   `bodyNotReplayable` for any other body.
    public func uploadResumably(
        _ body: RequestBody,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        policy: ResumableUpload.Policy = ResumableUpload.Policy()
    ) -> ResumableUpload {
        let source = ResumableUpload.Source.new { [self] () throws(ApusError) in
            try transferRequest(url, method: method, fields: fields, body: body, options: options)
        }
        return ResumableUpload(session: self, source: source, policy: policy)
    }

    /// Continues an upload that has ended before it was complete, for example that of a process that has ended.
    ///
    /// ```swift
    /// let state = try JSONDecoder().decode(ResumableUpload.State.self, from: Data(contentsOf: stateFile))
    /// let response = try await session.uploadResumably(resumingWith: state).response().validate()
    /// ```
    ///
    /// If the server does not have the upload any more, it fails with `unacceptableStatus`. It never begins anew.
    ///
    /// - Parameters:
    ///   - state: The state of the upload.
    ///   - body: The body of the upload. `nil` uses its file, which must be unchanged. Default: `nil`.
    ///   - fields: The header fields of each request, for example credentials. The session's default fields are added.
    ///     Default: none.
    ///   - options: Options that override the session's settings, for each request of the upload. Default: none.
    ///   - policy: The number and the pace of attempts. The version of the draft is that of `state`. Default:
    ///     `ResumableUpload.Policy()`.
    /// - Returns: The upload, which does nothing until it is started. Errors are those of its response.
    public func uploadResumably(
        resumingWith state: ResumableUpload.State,
        body: RequestBody? = nil,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        policy: ResumableUpload.Policy = ResumableUpload.Policy()
    ) -> ResumableUpload {
        let source = ResumableUpload.Source.continuation(state, body, fields, options)
        return ResumableUpload(session: self, source: source, policy: policy)
    }
}
