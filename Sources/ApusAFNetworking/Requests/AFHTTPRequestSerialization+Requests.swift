public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

extension AFHTTPRequestSerialization {
    /// Makes a request with the serializer's fields, and with parameters.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: What the request is for: a `String`, a `URL`, or a type of your own.
    ///   - parameters: What is to be sent; nothing by default.
    /// - Returns: The request.
    /// - Throws: `ApusError`: `invalidURL`, or `parameterEncodingFailed`.
    public func request(
        withMethod method: HTTPRequest.Method,
        urlString: some URLConvertible,
        parameters: Parameters? = nil
    ) throws(ApusError) -> RequestMessage {
        let message = try message(method, urlString)
        do {
            return try request(bySerializing: message, withParameters: parameters)
        } catch {
            throw ApusError.ofParameters(error).about(method: method, target: message.target)
        }
    }

    private func message(
        _ method: HTTPRequest.Method,
        _ url: some URLConvertible
    ) throws(ApusError) -> RequestMessage {
        do {
            return try RequestMessage(url, method: method)
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.requestBuildingFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
        }
    }

    /// Makes a request whose content is a form with files, streamed from where they are.
    ///
    /// The parameters are the first parts, by their names. Where there are no parts at all the request is what it would be
    /// without parameters.
    ///
    /// - Parameters:
    ///   - method: The method; neither GET nor HEAD.
    ///   - urlString: What the request is for.
    ///   - parameters: Parts with names and values; none by default.
    ///   - build: Appends further parts; it is called here and now.
    /// - Returns: The request.
    /// - Throws: `ApusError`: `invalidURL`, `parameterEncodingFailed`, `multipartEncodingFailed`, or what `build` throws
    ///   underneath one.
    public func multipartFormRequest(
        withMethod method: HTTPRequest.Method,
        urlString: some URLConvertible,
        parameters: Parameters? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) throws(ApusError) -> RequestMessage {
        guard method != .get, method != .head else {
            throw ApusError(.multipartEncodingFailed, "a \(method.rawValue) has no content; send the form as POST")
        }
        let request = try request(withMethod: method, urlString: urlString, parameters: nil)
        var form = AFMultipartFormData()
        do {
            for part in try ParameterParts.parts(of: parameters ?? [:]) {
                form.appendPart(withForm: part.content, name: part.name)
            }
            try build(&form)
            return try form.finalize(request)
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.multipartEncodingFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
            .about(method: method, target: request.target)
        }
    }

    /// Writes the content of a request into a file, and returns the request without it: for
    /// `uploadTask(with:fromFile:)`.
    ///
    /// - Parameters:
    ///   - request: The request; one without a content fails.
    ///   - fileURL: The file; one that is there is replaced when all is written. A failure leaves nothing behind.
    /// - Returns: The request without its content; the field with its type stays.
    /// - Throws: `ApusError`: `invalidRequest`, `fileUnwritable`, or what reading the content throws.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the writing, and leaves no file.
    public func request(
        withMultipartFormRequest request: RequestMessage,
        writingStreamContentsToFile fileURL: URL
    ) async throws(ApusError) -> RequestMessage {
        guard !request.body.isNone else {
            throw ApusError(.invalidRequest, "it has no content that could be written to a file")
        }
        let sink = try FileSink(at: fileURL)
        // Opened when there is a file to be written: a content that can be read once is not used up for nothing.
        var reader: BodyReader?
        _ = try await sink.write { () async throws(ApusError) in try await Self.read(request.body, by: &reader) }
        var request = request
        request.body = .none
        return request
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
