public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// A response serializer that refuses what has another status or content type, and parses the rest: what is a base class
/// in AFNetworking.
///
/// ```swift
/// struct LineSerializer: AFHTTPResponseSerialization {
///     var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
///     var acceptableContentTypes: Set<String>? = ["text/plain", "text/*"]
///
///     func parse(_ data: Data, of response: HTTPResponse) throws -> [String]? {
///         String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
///     }
/// }
/// ```
///
/// A refused content type ends it; with a refused status the content is parsed all the same, so that an explanation
/// arrives beside the error. Where both are refused the error is the status's, and its `underlying` the content type's.
/// A content that then can't be parsed is the error, and the refusal its `underlying`. Every error has the content.
public protocol AFHTTPResponseSerialization<ResponseObject>: AFURLResponseSerialization {
    /// What it makes.
    associatedtype ResponseObject

    /// The statuses that are accepted; `nil` accepts any.
    var acceptableStatusCodes: IndexSet? { get set }

    /// The content types that are accepted; `nil` accepts any, and an answer without content is not asked for its type.
    ///
    /// `text/*`, `*/*` and `application/*+json` are understood; a missing type passes `*/*` alone.
    var acceptableContentTypes: Set<String>? { get set }

    /// Refuses an answer; by status and content type unless you say otherwise.
    ///
    /// - Parameters:
    ///   - response: The head of the answer.
    ///   - data: The content.
    /// - Throws: `ApusError` with the code `unacceptableStatus`, `unacceptableContentType` or `missingContentType`.
    func validate(_ response: HTTPResponse, data: Data) throws(ApusError)

    /// Makes the object of a content.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - response: The head of the answer.
    /// - Returns: The object; `nil` where there is nothing in the content, which is no error.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `serializerFailed`.
    func parse(_ data: Data, of response: HTTPResponse) throws -> ResponseObject?
}

extension AFHTTPResponseSerialization {
    public func validate(_ response: HTTPResponse, data: Data) throws(ApusError) {
        var refusal: ApusError?
        if let acceptableContentTypes, !data.isEmpty {
            refusal = MediaType.refusal(
                of: response.headerFields[.contentType],
                acceptable: acceptableContentTypes.sorted()
            )?
            .with(response: response, data: data)
        }
        if let acceptableStatusCodes, !acceptableStatusCodes.contains(response.status.code) {
            let reason = response.status.reasonPhrase.isEmpty ? "" : " (\(response.status.reasonPhrase))"
            let detail = "the status is \(response.status.code)\(reason)"
            refusal = ApusError(.unacceptableStatus, detail, underlying: refusal).with(response: response, data: data)
        }
        if let refusal { throw refusal }
    }

    public func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<ResponseObject> {
        let refusal = refusal(of: response, data)
        if let refusal, refusal.isOfContentType { return AFSerializedResponse(nil, error: refusal) }
        do {
            return AFSerializedResponse(try parse(data, of: response), error: refusal)
        } catch {
            let failure = ApusError.ofSerializer(error)
            let whole = failure.underlying == nil ? failure.caused(by: refusal) : failure
            return AFSerializedResponse(nil, error: whole.with(response: response, data: data))
        }
    }

    /// Why an answer is refused; `nil` where it is not.
    func refusal(of response: HTTPResponse, _ data: Data) -> ApusError? {
        do throws(ApusError) {
            try validate(response, data: data)
            return nil
        } catch {
            return error.with(response: response, data: data)
        }
    }
}

extension ApusError {
    /// Whether it, or what caused it, is about the type of a content.
    fileprivate var isOfContentType: Bool {
        if code == .unacceptableContentType || code == .missingContentType { return true }
        return (underlying as? ApusError)?.isOfContentType ?? false
    }

    /// The same error with another cause.
    fileprivate func caused(by cause: ApusError?) -> ApusError {
        ApusError(code, detail, underlying: cause)
    }
}
