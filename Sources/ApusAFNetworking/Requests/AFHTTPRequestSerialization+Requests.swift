public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

extension AFHTTPRequestSerialization {
    /// Creates a request with the serializer's fields and options, and with parameters.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: The URL: a `String`, a `URL`, or a custom type.
    ///   - parameters: The parameters to send. Default: none.
    /// - Returns: The request.
    /// - Throws: `ApusError`: `invalidURL`, or `parameterEncodingFailed`.
    public func request(
        withMethod method: HTTPRequest.Method,
        urlString: some URLConvertible,
        parameters: AFParameters? = nil
    ) throws(ApusError) -> RequestMessage {
        let message = try message(method, urlString)
        do {
            return try request(bySerializing: message, withParameters: parameters)
        } catch {
            throw ApusError.ofParameters(error).about(method: method, target: message.target)
        }
    }

    /// Creates a request with the serializer's fields and options, and with parameters of any `Encodable` type.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: The URL: a `String`, a `URL`, or a custom type.
    ///   - parameters: The parameters to send.
    /// - Returns: The request.
    /// - Throws: `ApusError`: `invalidURL`, or `parameterEncodingFailed`.
    @_disfavoredOverload
    public func request(
        withMethod method: HTTPRequest.Method,
        urlString: some URLConvertible,
        parameters: some Encodable
    ) throws(ApusError) -> RequestMessage {
        try request(withMethod: method, urlString: urlString, parameters: AFParameters(parameters))
    }

    private func message(
        _ method: HTTPRequest.Method,
        _ url: some URLConvertible
    ) throws(ApusError) -> RequestMessage {
        do {
            var message = try RequestMessage(url, method: method)
            // A custom serializer may not set them.
            message.options = settings.requestOptions
            return message
        } catch {
            throw ApusError(wrapping: error, as: .requestBuildingFailed)
        }
    }

    /// Creates a request with a multipart form as its body. Files are streamed when the request is sent.
    ///
    /// The parameters become the first parts, whose texts are in `stringEncoding`. If there are no parts at all, the
    /// request is the same as without parameters.
    ///
    /// - Parameters:
    ///   - method: The method, other than GET and HEAD.
    ///   - urlString: The URL.
    ///   - parameters: The first parts, as names and values. Default: none.
    ///   - build: Appends further parts. Called synchronously.
    /// - Returns: The request.
    /// - Throws: `ApusError`: `invalidURL`, `parameterEncodingFailed`, `multipartEncodingFailed`, or one with the error
    ///   of `build` as its underlying error.
    public func multipartFormRequest(
        withMethod method: HTTPRequest.Method,
        urlString: some URLConvertible,
        parameters: AFParameters? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) throws(ApusError) -> RequestMessage {
        guard method != .get, method != .head else {
            throw ApusError(.multipartEncodingFailed, "a \(method.rawValue) request has no body; send the form as POST")
        }
        let request = try request(withMethod: method, urlString: urlString)
        var form = AFMultipartFormData()
        do {
            if let root = try parameters?.value {
                try form.append(try ParameterPairs.pairs(of: root), in: TextEncoding(stringEncoding))
            }
            try build(&form)
            return try form.finalize(request)
        } catch {
            throw ApusError(wrapping: error, as: .multipartEncodingFailed)
                .about(method: method, target: request.target)
        }
    }

    /// Creates a request with a multipart form as its body, whose first parts are parameters of any `Encodable` type.
    ///
    /// - Parameters:
    ///   - method: The method, other than GET and HEAD.
    ///   - urlString: The URL.
    ///   - parameters: The first parts.
    ///   - build: Appends further parts. Called synchronously.
    /// - Returns: The request.
    /// - Throws: The errors of the variant with `AFParameters`.
    @_disfavoredOverload
    public func multipartFormRequest(
        withMethod method: HTTPRequest.Method,
        urlString: some URLConvertible,
        parameters: some Encodable,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) throws(ApusError) -> RequestMessage {
        try multipartFormRequest(
            withMethod: method,
            urlString: urlString,
            parameters: AFParameters(parameters),
            constructingBodyWith: build
        )
    }

    /// Writes the body of a request to a file and returns the request without it, for use with
    /// `uploadTask(with:fromFile:)`.
    ///
    /// - Parameters:
    ///   - request: The request. It must have a body.
    ///   - fileURL: The file. An existing one is replaced after a complete write. A failure leaves no partial file.
    /// - Returns: The request without its body. Its `Content-Type` field is kept.
    /// - Throws: `ApusError`: `invalidRequest`, `fileUnwritable`, or the error of reading the body.
    ///
    /// ## Cancellation
    /// Cancelling the task stops the write and leaves no file.
    public func request(
        withMultipartFormRequest request: RequestMessage,
        writingStreamContentsToFile fileURL: URL
    ) async throws(ApusError) -> RequestMessage {
        guard !request.body.isNone else {
            throw ApusError(.invalidRequest, "it has no body to write to a file")
        }
        // Opened only after the file was created, so that a failure does not consume a body that can be read only once.
        var reader: BodyReader?
        try await PartialFile.writeWhole(at: fileURL) { () async throws(ApusError) in
            try await Self.read(request.body, by: &reader)
        }
        return request.withoutBody
    }

    /// Writes the body of a request to a file in the background, and returns the request without it at once, for use
    /// with `uploadTask(with:fromFile:)` when the file is complete.
    ///
    /// - Parameters:
    ///   - request: The request. It must have a body.
    ///   - fileURL: The file. An existing one is replaced after a complete write. A failure leaves no partial file.
    ///   - queue: The queue of `completionHandler`. Default: `.main`.
    ///   - completionHandler: Called once, with the error if the write has failed: `invalidRequest`, `fileUnwritable`,
    ///     or the error of reading the body.
    /// - Returns: The request without its body. Its `Content-Type` field is kept.
    @discardableResult
    public func request(
        withMultipartFormRequest request: RequestMessage,
        writingStreamContentsToFile fileURL: URL,
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (ApusError?) -> Void
    ) -> RequestMessage {
        Task {
            var failure: ApusError?
            do throws(ApusError) {
                _ = try await self.request(withMultipartFormRequest: request, writingStreamContentsToFile: fileURL)
            } catch {
                failure = error
            }
            queue.async { [failure] in completionHandler(failure) }
        }
        return request.withoutBody
    }

    private static func read(_ body: RequestBody, by reader: inout BodyReader?) async throws(ApusError) -> BodyChunk? {
        do {
            try Task.checkCancellation()
            let opened = if let reader { reader } else { try await body.open() }
            reader = opened
            return try await opened.next()
        } catch {
            throw ApusError.wrapping(error) { ApusError(.requestBodyFailed, "reading it failed", underlying: $0) }
        }
    }
}

extension RequestMessage {
    fileprivate var withoutBody: RequestMessage {
        var request = self
        request.body = .none
        return request
    }
}
