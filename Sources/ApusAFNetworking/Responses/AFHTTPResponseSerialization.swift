public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// A response serializer that checks the status and the content type before it parses the body. The counterpart of
/// AFNetworking's base class.
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
/// An unacceptable content type prevents parsing. After an unacceptable status the body is still parsed, since it may
/// explain the error. The error of a rejected response is always that of its rejection. If both are unacceptable, it is
/// the error of the status, and that of the content type is its `underlying`. If the body of a rejected status can't be
/// parsed, the error of parsing is its `underlying`. Every error contains the body.
public protocol AFHTTPResponseSerialization<ResponseObject>: AFURLResponseSerialization {
    /// The type of the object.
    associatedtype ResponseObject

    /// The accepted status codes. `nil` accepts any.
    var acceptableStatusCodes: IndexSet? { get set }

    /// The accepted content types. `nil` accepts any. Without a body, the type is not checked.
    ///
    /// Supports `text/*`, `*/*` and `application/*+json`. A missing type matches only `*/*`.
    var acceptableContentTypes: Set<String>? { get set }

    /// Checks a response. By default, checks its status and content type.
    ///
    /// - Parameters:
    ///   - response: The response head.
    ///   - data: The body.
    /// - Throws: `ApusError` with the code `unacceptableStatus`, `unacceptableContentType` or `missingContentType`.
    func validate(_ response: HTTPResponse, data: Data) throws(ApusError)

    /// Parses a body into an object.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - response: The response head.
    /// - Returns: The object, or `nil` if the body contains none, which is not an error.
    /// - Throws: Any error. Unless it is an `ApusError`, it is wrapped in one with the code `serializerFailed`.
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
            let failure = ApusError.ofSerializer(error).with(response: response, data: data)
            return AFSerializedResponse(nil, error: refusal?.adding(failure) ?? failure)
        }
    }

    /// Returns the reason why a response is rejected, or `nil` if it is accepted.
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
    /// Whether this error or its cause is about the content type.
    fileprivate var isOfContentType: Bool {
        if code == .unacceptableContentType || code == .missingContentType { return true }
        return (underlying as? ApusError)?.isOfContentType ?? false
    }

    /// Returns the error of a rejected response whose body can't be parsed either. A cause that it has is kept.
    fileprivate func adding(_ failure: ApusError) -> ApusError {
        ApusError(
            code,
            underlying == nil ? detail : "\(detail); its body can't be parsed: \(failure.detail)",
            hint: hint,
            underlying: underlying ?? failure
        )
        .with(response: failure.response, data: failure.data)
        .with(acceptableContentTypes: acceptableContentTypes)
    }
}
