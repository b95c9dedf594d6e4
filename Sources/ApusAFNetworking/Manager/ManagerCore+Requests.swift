internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// A request that a manager created from a URL and parameters.
struct ManagerRequest {
    var message: RequestMessage
    /// The timeouts of the request serializer.
    let options: RequestOptions
}

extension ManagerCore {
    /// Returns a request with parameters. `headers` replace the serializer's fields.
    func request(
        _ method: HTTPRequest.Method,
        _ urlString: String,
        _ parameters: Parameters?,
        _ headers: HTTPFields
    ) throws(ApusError) -> ManagerRequest {
        let serializer = requestSerializer
        let target = try target(urlString)
        let message = try serializer.request(withMethod: method, urlString: target, parameters: parameters)
        return ManagerRequest(message: message.with(headers), options: options(of: serializer))
    }

    /// Returns a request with a multipart form as its body.
    func formRequest(
        _ urlString: String,
        _ parameters: Parameters?,
        _ headers: HTTPFields,
        _ build: (inout AFMultipartFormData) throws -> Void
    ) throws(ApusError) -> ManagerRequest {
        let serializer = requestSerializer
        let message = try serializer.multipartFormRequest(
            withMethod: .post,
            urlString: try target(urlString),
            parameters: parameters,
            constructingBodyWith: build
        )
        var headers = headers
        // Another type would lack the form's boundary.
        headers[.contentType] = nil
        return ManagerRequest(message: message.with(headers), options: options(of: serializer))
    }

    /// Resolves a URL against the base URL.
    private func target(_ urlString: String) throws(ApusError) -> TargetURI {
        guard let baseURL else { return try TargetURI(urlString) }
        let base = try TargetURI(baseURL.absoluteString)
        let target = try base.resolving(urlString)
        guard target.userInformation == nil, target.origin == base.origin else { return target }
        // Relative URLs keep the whole authority, including user information, as in RFC 3986 §5.2.2.
        return TargetURI(origin: target.origin, path: target.path, userInformation: base.userInformation)
    }

    private func options(of serializer: some AFHTTPRequestSerialization) -> RequestOptions {
        var options = RequestOptions.none
        if let interval = serializer.timeoutInterval {
            var timeouts = configuration.timeouts
            timeouts.idleRead = interval
            timeouts.idleWrite = interval
            options[Timeouts.self] = timeouts
        }
        if let deadline = serializer.deadline { options[RequestDeadline.self] = RequestDeadline(deadline) }
        return options
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
