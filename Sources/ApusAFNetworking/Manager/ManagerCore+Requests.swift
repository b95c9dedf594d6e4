internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// A request of a manager, and the options of its call, which replace those of the message.
struct ManagerRequest {
    let message: RequestMessage
    let options: RequestOptions
}

extension ManagerCore {
    /// Returns a request with parameters. `headers` replace the serializer's fields, and are checked first.
    func request(
        _ method: HTTPRequest.Method,
        _ urlString: String,
        _ parameters: AFParameters?,
        _ headers: RequestFields,
        _ options: RequestOptions
    ) throws(ApusError) -> ManagerRequest {
        let fields = try headers.checked()
        let target = try target(urlString)
        let message = try requestSerializer.request(withMethod: method, urlString: target, parameters: parameters)
        return ManagerRequest(message: message.with(fields), options: options)
    }

    /// Returns a request with a multipart form as its body.
    func formRequest(
        _ urlString: String,
        _ parameters: AFParameters?,
        _ headers: RequestFields,
        _ options: RequestOptions,
        _ build: (inout AFMultipartFormData) throws -> Void
    ) throws(ApusError) -> ManagerRequest {
        var fields = try headers.checked()
        let message = try requestSerializer.multipartFormRequest(
            withMethod: .post,
            urlString: try target(urlString),
            parameters: parameters,
            constructingBodyWith: build
        )
        // Another type would lack the form's boundary.
        fields[.contentType] = nil
        return ManagerRequest(message: message.with(fields), options: options)
    }

    /// Resolves a URL against the base URL.
    private func target(_ urlString: String) throws(ApusError) -> TargetURI {
        guard let baseURL else { return try TargetURI(urlString) }
        let base = try TargetURI(baseURL.absoluteString)
        return try base.resolvingReference(urlString)
    }
}

extension RequestMessage {
    /// Returns the request with the fields in place of those with the same names.
    fileprivate func with(_ fields: HTTPFields) -> RequestMessage {
        var request = self
        for name in Set(fields.map(\.name)) { request.fields[name] = nil }
        request.fields.append(contentsOf: fields)
        return request
    }
}
