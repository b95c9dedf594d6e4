public import Apus
public import Foundation
public import HTTPTypes

/// Downloads with Alamofire's labels. Without a destination, the file is a temporary one, which the caller must remove.
extension Session {
    /// Creates a request that downloads the response body into a file, with a handle.
    ///
    /// ```swift
    /// let destination: DownloadRequest.Destination = { _, _ in (fileURL, [.removePreviousFile]) }
    /// let download = AF.download("https://api.example.org/report", headers: headers, to: destination)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or your own type.
    ///   - method: The method. Default: GET.
    ///   - parameters: The parameters. Default: none.
    ///   - encoding: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and
    ///     DELETE, otherwise in the body.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before the parameters are encoded. Called for each attempt. Default:
    ///     `nil`.
    ///   - destination: Returns the destination of the file. Default: `nil`, a temporary file.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func download(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Parameters? = nil,
        encoding: any ParameterEncoder = .urlEncodedForm,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            url,
            method: method,
            parameters: parameters,
            encoder: encoding,
            fields: headers ?? [:],
            to: DownloadDestination(choosing: destination),
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request with parameters of any `Encodable` type that downloads the response body into a file, with a
    /// handle.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - parameters: The parameters. With `nil` nothing is encoded.
    ///   - encoder: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and DELETE,
    ///     otherwise in the body.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before the parameters are encoded. Called for each attempt. Default:
    ///     `nil`.
    ///   - destination: Returns the destination of the file. Default: `nil`, a temporary file.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func download<Values: Encodable & Sendable>(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Values?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(
            url,
            method: method,
            parameters: parameters,
            encoder: encoder,
            fields: headers ?? [:],
            to: DownloadDestination(choosing: destination),
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request that downloads the response body into a file, from a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - convertible: Builds the request. Called when the request starts, and again for each attempt.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - destination: Returns the destination of the file. Default: `nil`, a temporary file.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func download(
        _ convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(convertible, to: DownloadDestination(choosing: destination)).intercepted(by: interceptor)
    }

    /// Creates a request that continues a download from its resume data, with a handle.
    ///
    /// - Parameters:
    ///   - data: The resume data of a cancelled download. It has the URL of the request, and none of its fields. An
    ///     interceptor can add them.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - destination: Returns the destination of the file. Default: `nil`, that of the cancelled download, without its
    ///     options, so that an existing file is an error.
    /// - Returns: The handle. It fails with `resumeDataInvalid` if the data was not made by a download.
    @_disfavoredOverload
    public func download(
        resumingWith data: Data,
        interceptor: (any RequestInterceptor)? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        download(resumingWith: data, fields: [:], to: destination.map { DownloadDestination($0) }, options: .none)
            .intercepted(by: interceptor)
    }
}

extension DownloadDestination {
    /// Creates a destination that is chosen by a closure. `nil` is a temporary file.
    fileprivate init(choosing destination: DownloadRequest.Destination?) {
        self = destination.map { DownloadDestination($0) } ?? .temporary
    }
}
