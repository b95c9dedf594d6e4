internal import Apus

/// Converts an error to one sentence and an exit code.
enum FaultSentence {
    /// Returns the fault that ends the command, or `nil` if the reader of the output has closed it.
    static func fault(for error: any Error, timeout: Duration?) -> CommandFault? {
        switch error {
        case let fault as CommandFault: return fault
        case OutputFault.readerGone: return nil
        case OutputFault.failed(let sentence): return CommandFault(sentence)
        case let error as ApusError:
            // Errors of the command's own middleware have their own description.
            if let cause = error.underlying, cause is CommandFault || cause is OutputFault {
                return fault(for: cause, timeout: timeout)
            }
            return describe(error, timeout: timeout)
        default: return CommandFault("an unexpected error: \(error)")
        }
    }

    private static func describe(_ error: ApusError, timeout: Duration?) -> CommandFault {
        // Without a URL, the detail is the whole description. The hint names a setting of the library, not a flag.
        let description = error.url == nil ? error.detail : error.sentence
        let sentence = remedy(for: error, timeout: timeout).map { "\(description); \($0)" } ?? description
        switch error.code {
        case .tooManyRedirects: return CommandFault(sentence, exitCode: .tooManyRedirects)
        default: return CommandFault(sentence, exitCode: error.isTimeout ? .timeout : .failure)
        }
    }

    /// Returns a suggestion to the user, or `nil` if there is none.
    private static func remedy(for error: ApusError, timeout: Duration?) -> String? {
        switch error.code {
        case .deadlineExceeded: "allow more time than --timeout \(timeout.map(seconds) ?? "0")"
        case .hostNotFound, .resolveFailed: "check the host name"
        case .connectFailed: "check the port, and whether a server listens there"
        case .addressRefused: "leave out --guard to allow it"
        case .connectTimeout: "check the address, or allow more time with --timeout"
        case .certificateRejected:
            "\(remedy(for: error.underlying, error.isOfProxy)), or skip the verification with --verify no"
        case .tlsFailed where error.isOfProxy: "check the scheme, the host and the port of the proxy"
        case .tlsVersionUnsupported where error.isOfProxy: nil
        case .tlsFailed, .connectionClosed, .sendFailed: remedy(for: error.underlying as? TLSFailureReason, error.code)
        case .tlsVersionUnsupported: error.hint == nil ? nil : "leave out --ssl"
        case .proxyTimeout: "check the proxy, or allow more time with --timeout"
        case .proxyConnectFailed: "check the scheme, the host and the port of the proxy"
        case .proxyAuthenticationRequired where error.refusedProxyUser != nil:
            "check the user and the password in the URL of the proxy"
        case .proxyAuthenticationRequired:
            // Without a hint, a user was given, and the proxy wants something else.
            error.hint == nil ? nil : "name its user and password with --proxy http://USER:PASSWORD@HOST:PORT"
        case .protocolUnsupported: "leave out --http-version 2"
        case .tooManyRedirects: "allow more with --max-redirects"
        // Only the refusal of a redirect from https to http has a hint. No flag allows one.
        case .redirectInvalid: error.hint == nil ? nil : "request that URL itself to go on without encryption"
        default: nil
        }
    }

    /// Returns a suggestion for a rejected certificate, of the server or of the proxy in front of it.
    private static func remedy(for cause: (any Error)?, _ isOfProxy: Bool) -> String {
        switch cause as? CertificateRejection {
        case .wrongHost?: isOfProxy ? "check the host name of the proxy" : "check the host name"
        case .expired?, .notYetValid?: "check the clock of this machine"
        case .notPinned?: "correct the keys of --pin"
        case .selfSigned?, .untrustedAuthority?, .other?, nil: "name its authority with --verify FILE"
        case .authority(_, let reason)?: remedy(for: reason, isOfProxy)
        default: "replace the certificate of the \(isOfProxy ? "proxy" : "server")"
        }
    }

    /// Returns a suggestion for a failed handshake, or `nil` if there is none.
    private static func remedy(for reason: TLSFailureReason?, _ code: ApusError.Code) -> String? {
        switch reason {
        case .clientCertificateRequired?: "name one with --cert FILE"
        case .clientCertificateRefused?: "name another one with --cert FILE"
        case .notTLS?: "use http://, or another port"
        case .noCommonCipher?: "leave out --ciphers"
        case .unknownServerName?: "check the host name"
        default: code == .tlsFailed ? "check whether the port uses TLS" : nil
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let seconds = duration.inSeconds
        return seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
    }
}
