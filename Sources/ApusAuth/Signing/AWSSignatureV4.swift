public import ApusCore
public import Foundation
public import HTTPTypes

/// Signs requests to Amazon Web Services, and to compatible services, with Signature Version 4.
///
/// Signs all fields but those that proxies change. A body that can be read only once is sent unsigned over TLS, which
/// S3 allows. Over plain HTTP such a request fails.
///
/// See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
public struct AWSSignatureV4: RequestSigner {
    private static let unsigned = "UNSIGNED-PAYLOAD"

    /// Called for each request, so that temporary credentials can be renewed.
    private let credentials: @Sendable () async throws -> AWSCredentials
    /// The region of the service.
    public let region: String
    /// The name of the service in signatures: `s3`, `execute-api`.
    public let service: String
    /// Whether bodies are hashed and signed. If `false`, bodies sent over TLS are not signed. Default: `true`.
    public var signsContent = true

    /// Creates a signer with fixed credentials.
    ///
    /// - Parameters:
    ///   - credentials: The credentials.
    ///   - region: The region of the service: `eu-west-1`.
    ///   - service: The name of the service in signatures: `s3`, `execute-api`.
    public init(_ credentials: AWSCredentials, region: String, service: String) {
        self.init(region: region, service: service) { credentials }
    }

    /// Creates a signer with credentials that can be renewed.
    ///
    /// - Parameters:
    ///   - region: The region of the service: `eu-west-1`.
    ///   - service: The name of the service in signatures: `s3`, `execute-api`.
    ///   - credentials: Returns the credentials. Called for each request.
    public init(region: String, service: String, credentials: @escaping @Sendable () async throws -> AWSCredentials) {
        self.region = region
        self.service = service
        self.credentials = credentials
    }

    public func hashesContent(of request: RequestMessage) -> Bool {
        signsContent || request.target.origin.scheme == .http
    }

    public func sign(_ request: inout RequestMessage, contentHash: String?, at date: Date) async throws {
        if contentHash == nil, request.target.origin.scheme == .http {
            throw ApusError(
                .bodyNotReplayable,
                "its signature needs the body's hash before it is sent, but the body can be read only once; use https"
            )
        }
        let credentials = try await credentials()
        let scope = Scope(date, region, service)
        try request.fields.set(checking: "X-Amz-Date", scope.time)
        try request.fields.set(checking: "X-Amz-Security-Token", credentials.sessionToken)
        if service == "s3" || contentHash == nil {
            try request.fields.set(checking: "X-Amz-Content-SHA256", contentHash ?? Self.unsigned)
        }
        request.fields[.authorization] = nil
        let canonical = AWSCanonicalRequest(
            method: request.method,
            target: request.target,
            fields: request.fields,
            contentHash: contentHash ?? Self.unsigned,
            normalizesPath: service != "s3"
        )
        let value =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(canonical.signedFields), "
            + "Signature=\(scope.signature(of: canonical.text, credentials.secretKey))"
        request.fields[fields: .authorization] = [try .authorization(value)]
    }

    /// Returns a presigned URL, which is valid without credentials for a limited time.
    ///
    /// - Parameters:
    ///   - target: The target to sign.
    ///   - method: The method that the URL is valid for. Default: GET.
    ///   - duration: How long the URL is valid, in whole seconds. Amazon allows up to a week. Default: one hour.
    ///   - date: The time from which it is valid. Default: now.
    /// - Returns: The target with the signature in its query.
    /// - Throws: The error of the `credentials` closure.
    public func presigned(
        _ target: TargetURI,
        method: HTTPRequest.Method = .get,
        for duration: Duration = .seconds(3600),
        since date: Date = Date()
    ) async throws -> TargetURI {
        let credentials = try await credentials()
        let scope = Scope(date, region, service)
        var items = [
            URLQueryItem(name: "X-Amz-Algorithm", value: "AWS4-HMAC-SHA256"),
            URLQueryItem(name: "X-Amz-Credential", value: "\(credentials.accessKey)/\(scope)"),
            URLQueryItem(name: "X-Amz-Date", value: scope.time),
            URLQueryItem(name: "X-Amz-Expires", value: "\(duration.components.seconds)"),
            URLQueryItem(name: "X-Amz-SignedHeaders", value: "host"),
        ]
        if let token = credentials.sessionToken {
            items.append(URLQueryItem(name: "X-Amz-Security-Token", value: token))
        }
        let target = target.adding(query: items)
        let canonical = AWSCanonicalRequest(
            method: method,
            target: target,
            fields: [:],
            contentHash: service == "s3" ? Self.unsigned : HashFunction.sha256.hexadecimal(""),
            normalizesPath: service != "s3"
        )
        let signature = scope.signature(of: canonical.text, credentials.secretKey)
        return target.adding(query: [URLQueryItem(name: "X-Amz-Signature", value: signature)])
    }
}

extension AWSSignatureV4: CustomStringConvertible, CustomReflectable {
    /// The service and the region.
    public var description: String { "AWS signatures for \(service) in \(region)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The scope of a signature: a day, a region and a service.
private struct Scope: CustomStringConvertible {
    /// `20130524T000000Z`
    let time: String
    private let parts: [String]

    init(_ date: Date, _ region: String, _ service: String) {
        self.time = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        self.parts = [String(time.prefix(8)), region, service, "aws4_request"]
    }

    var description: String { parts.joined(separator: "/") }

    func signature(of canonical: String, _ secretKey: String) -> String {
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(self)\n\(HashFunction.sha256.hexadecimal(canonical))"
        let key = parts.reduce(Array("AWS4\(secretKey)".utf8)) { HMAC.sha256(key: $0, $1) }
        return HMAC.sha256(key: key, text).hexadecimal
    }
}
