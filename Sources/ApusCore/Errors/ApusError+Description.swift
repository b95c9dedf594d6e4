internal import ApusJSON
public import Foundation
internal import HTTPTypes

extension ApusError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// One sentence with the request, the failure, its cause, and the hint if there is one.
    public var description: String { hint.map { "\(sentence); \($0)" } ?? sentence }

    /// The sentence without the hint.
    package var sentence: String {
        var subject = ""
        if let url {
            subject = method.map { "\($0.rawValue) \(url) " } ?? "\(url) "
        }
        return "\(subject)\(isOfProxy ? code.proxyHeadline : code.headline): \(detail)"
    }

    /// The sentence, with code, phase, blame and the chain of causes. For a rejected response whose body is text, also
    /// the beginning of the body, without secrets.
    public var debugDescription: String { debugText(showsBody: true) }

    /// The number of characters shown of the body of a rejected response.
    private static let shownBodyLength = 200

    /// Returns `debugDescription`, with or without the beginning of the body.
    func debugText(showsBody: Bool) -> String {
        var text = description
        if showsBody, let body = shownBody { text += " with the body \(body)" }
        text += " [\(phase.rawValue).\(code.name), blame: \(blame.rawValue)]"
        if let underlying {
            text += " caused by: \(Excerpt.sentence(Redaction.text(String(describing: underlying)), limit: 2000))"
        }
        return text
    }

    /// The beginning of the body of a rejected response, on one line. `nil` if there is none, or if it is no text.
    private var shownBody: String? {
        guard phase == .validate, let data else { return nil }
        // Secrets are removed from a longer beginning, since the name of a value may follow it.
        let beginning = data.prefix(64 << 10)
        guard let text = ShownBody(beginning, of: Int64(data.count), response?.headerFields ?? [:]).text else {
            return nil
        }
        // A body may be a token itself, which has no name.
        let words = Array(text.utf8).split { !(0x21...0x7E).contains($0) }
        if words.count == 1, RandomText.isLikely(words[0][...]) { return nil }
        return Excerpt.sentence(text, limit: Self.shownBodyLength)
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

extension ApusError.Code {
    /// The same for an error of TLS with a proxy.
    fileprivate var proxyHeadline: String {
        switch self {
        case .certificateRejected: "rejected the proxy's certificate"
        case .tlsTimeout, .tlsFailed, .tlsVersionUnsupported: "could not set up TLS with the proxy"
        default: headline
        }
    }

    /// The middle of the sentence that describes the error.
    fileprivate var headline: String {
        switch self {
        case .invalidURL: "is not a valid URL"
        case .invalidField: "has a field that can't be sent"
        case .parameterEncodingFailed: "has a parameter that can't be encoded"
        case .multipartEncodingFailed: "has a part that can't be sent"
        case .poolTimeout: "waited too long for a connection"
        case .hostNotFound, .resolveFailed: "could not resolve the host"
        case .connectTimeout, .connectFailed, .addressRefused: "could not connect"
        case .tlsTimeout, .tlsFailed, .tlsVersionUnsupported: "could not set up TLS"
        case .protocolUnsupported: "found no common protocol"
        case .proxyTimeout, .proxyConnectFailed, .proxyRefused, .proxyAuthenticationRequired:
            "could not open a tunnel through the proxy"
        case .certificateRejected: "rejected the server's certificate"
        case .writeTimeout, .sendFailed, .requestBodyFailed: "could not be sent"
        case .readTimeout: "received no data in time"
        case .connectionClosed: "lost its connection"
        case .streamReset: "was reset by the server"
        case .malformedResponse, .responseTooLarge: "received an invalid response"
        case .digestMismatch: "received a file with a wrong digest"
        case .contentCodingFailed, .contentCodingUnsupported, .expansionLimit: "could not decode the body"
        case .tooManyRedirects, .redirectInvalid: "could not follow the redirect"
        case .pageLinkInvalid, .tooManyPages: "could not follow the link to the next page"
        case .circuitOpen: "was not sent"
        case .unacceptableStatus, .unacceptableContentType, .missingContentType, .validationFailed:
            "received an unacceptable response"
        case .emptyBody, .decodingFailed, .stringDecodingFailed, .downloadedFileUnreadable, .serializerFailed:
            "could not read the body"
        case .cancelled: "was cancelled"
        case .deadlineExceeded: "took too long"
        case .sessionShutDown, .sessionGone: "lost its session"
        default: "failed"
        }
    }
}

extension ApusError {
    /// Returns an `ApusError` unchanged. Turns a `CancellationError` into `cancelled`, and passes any other to `make`.
    package static func wrapping(_ error: any Error, _ make: (any Error) -> ApusError) -> ApusError {
        if let error = error as? ApusError { return error }
        if error is CancellationError { return ApusError(.cancelled, "its task was cancelled", underlying: error) }
        return make(error)
    }

    /// Makes an error of one code whose cause is `error`. An `ApusError` stays as it is, and a `CancellationError`
    /// becomes `cancelled`.
    ///
    /// - Parameters:
    ///   - error: The error to wrap.
    ///   - code: The code for all other errors.
    ///   - component: The part that threw, for the text. Default: `nil`.
    package init(wrapping error: any Error, as code: Code, by component: @autoclosure () -> String? = nil) {
        self = Self.wrapping(error) { error in
            let text = Redaction.text(String(describing: error))
            return ApusError(code, component().map { "\($0) threw \(text)" } ?? text, underlying: error)
        }
    }
}
