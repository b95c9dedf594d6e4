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
    /// Returns a request with parameters. `headers` replace the serializer's fields.
    func request(
        _ method: HTTPRequest.Method,
        _ urlString: String,
        _ parameters: AFParameters?,
        _ headers: HTTPFields,
        _ options: RequestOptions
    ) throws(ApusError) -> ManagerRequest {
        let target = try target(urlString)
        let message = try requestSerializer.completed(with: configuration.timeouts)
            .request(withMethod: method, urlString: target, parameters: parameters)
        return ManagerRequest(message: message.with(headers), options: options)
    }

    /// Returns a request with a multipart form as its body.
    func formRequest(
        _ urlString: String,
        _ parameters: AFParameters?,
        _ headers: HTTPFields,
        _ options: RequestOptions,
        _ build: (inout AFMultipartFormData) throws -> Void
    ) throws(ApusError) -> ManagerRequest {
        let message = try requestSerializer.completed(with: configuration.timeouts).multipartFormRequest(
            withMethod: .post,
            urlString: try target(urlString),
            parameters: parameters,
            constructingBodyWith: build
        )
        var headers = headers
        // Another type would lack the form's boundary.
        headers[.contentType] = nil
        return ManagerRequest(message: message.with(headers), options: options)
    }

    /// Resolves a URL against the base URL.
    private func target(_ urlString: String) throws(ApusError) -> TargetURI {
        guard let baseURL else { return try TargetURI(urlString) }
        let base = try TargetURI(baseURL.absoluteString)
        return try base.resolvingReference(urlString)
    }
}

extension AFHTTPRequestSerialization {
    /// Returns the serializer with the timeouts of a session, of which `timeoutInterval` replaces two.
    fileprivate func completed(with timeouts: Timeouts) -> Self {
        var serializer = self
        if timeoutInterval != nil, options[Timeouts.self] == nil { serializer.options[Timeouts.self] = timeouts }
        return serializer
    }
}

extension RequestMessage {
    /// Returns the request with the fields in place of those with the same names.
    fileprivate func with(_ headers: HTTPFields) -> RequestMessage {
        var request = self
        for name in Set(headers.map(\.name)) { request.fields[name] = nil }
        request.fields.append(contentsOf: headers)
        return request
    }
}
