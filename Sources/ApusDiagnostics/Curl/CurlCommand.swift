package import ApusCore
internal import Foundation
internal import HTTPTypes

/// Writes a request as a curl command that sends the same method, target, fields and body.
///
/// The command is meant to be run, so by default it includes all secrets of the request. All values are quoted for a
/// POSIX shell and contain no control characters that could affect a terminal.
///
/// When curl follows a redirect, it keeps a method that was set explicitly, for every status.
package enum CurlCommand {
    /// The body, if the request's own body does not reveal its parts or files.
    package enum Content: Sendable {
        case bytes([UInt8])
        /// The parts of a form. curl chooses the boundary and writes the `Content-Type`.
        case form([Part])
    }

    /// The maximum size of a body in an argument, since systems limit their length.
    static let argumentBytes = 64 << 10
    /// The maximum size of a body in a command. A longer command is too long to copy.
    package static let contentBytes = 1 << 20

    /// Returns the command, without a trailing newline.
    ///
    /// - Parameters:
    ///   - request: The request as passed to the transport.
    ///   - content: The body. Default: the request's own.
    ///   - configuration: The configuration. Used are the settings that curl has options for: redirects, the timeout of
    ///     the whole request, trust, TLS, and content decoding.
    ///   - arguments: Further arguments.
    ///   - includesSecrets: Whether the command can be run. Without secrets it is for reading, and is redacted like an
    ///     archive.
    /// - Returns: The command.
    /// - Throws: `ApusError` with the code `invalidRequest` if curl can't send the same request or a command line can't
    ///   hold it, `invalidConfiguration` for trust settings that curl has no option for.
    package static func text(
        _ request: RequestMessage,
        content: Content? = nil,
        configuration: SessionConfiguration = SessionConfiguration(),
        arguments: [String] = [],
        includesSecrets: Bool = true
    ) throws(ApusError) -> String {
        var words = Words()
        let view = HARView(includesSecrets: includesSecrets)
        let body = try CurlBody(request, content ?? (includesSecrets ? nil : shownContent(of: request, view)))
        try addMethod(of: request, body, to: &words)
        try add(configuration, to: &words)
        if configuration.contentDecoding == .automatic, let codings = request.fields[.acceptEncoding],
            codings.lowercased() != "identity"
        {
            words.add("--compressed")
        }
        addTarget(of: request, view, to: &words)
        addFields(of: request, body, view, to: &words)
        try body.add(to: &words)
        for argument in arguments { words.add(value: argument) }
        words.add(value: view.url(request.target.uri))
        return (body.feed.map { "\($0) | " } ?? "") + "curl " + words.text
    }

    /// The arguments, joined by spaces.
    struct Words {
        private(set) var text = ""

        /// Adds an option and its value.
        mutating func add(_ option: String, _ value: String? = nil) {
            if !text.isEmpty { text += " " }
            text += option
            if let value { add(value: value) }
        }

        /// Adds a quoted value.
        mutating func add(value: String) { add(bytes: Array(value.utf8)) }

        mutating func add(bytes: [UInt8]) { add(ShellText.word(bytes)) }
    }

    private static func addMethod(
        of request: RequestMessage,
        _ body: CurlBody,
        to words: inout Words
    ) throws(ApusError) {
        switch (request.method, body.isNone) {
        case (.get, true), (.post, _): break
        case (.head, true): words.add("-I")
        case (.head, false):
            throw ApusError(
                .invalidRequest,
                "curl would wait for a response body after a HEAD request with a body; leave the body out"
            )
        default: words.add("-X", request.method.rawValue)
        }
    }

    private static func add(_ configuration: SessionConfiguration, to words: inout Words) throws(ApusError) {
        if configuration.redirects.limit > 0 {
            words.add("-L")
            words.add("--max-redirs", "\(configuration.redirects.limit)")
        }
        if let time = configuration.timeouts.request { words.add("--max-time", seconds(time)) }
        try add(configuration.tls, to: &words)
        guard configuration.trust.evaluator == nil else {
            throw ApusError(.invalidConfiguration, "curl has no option for an evaluator of server trust")
        }
        switch configuration.trust.verification {
        case .none: words.add("-k")
        case .chainOnly:
            throw ApusError(.invalidConfiguration, "curl has no option to verify the chain without the host name")
        case .full:
            switch configuration.trust.roots {
            case .system: break
            case .file(let path): words.add("--cacert", path)
            case .folder(let path): words.add("--capath", path)
            case .pem, .all:
                throw ApusError(.invalidConfiguration, "curl reads authorities only from one file or folder")
            }
        }
    }

    private static func add(_ settings: TLSSettings, to words: inout Words) throws(ApusError) {
        guard settings.cipherSuites == nil, settings.serverName == nil, settings.verifiedName == nil else {
            throw ApusError(
                .invalidConfiguration,
                "curl has no options for the IANA names of cipher suites and for a server name other than the host"
            )
        }
        if settings.minimumVersion == .v13 { words.add("--tlsv1.3") }
        if settings.maximumVersion == .v12 { words.add("--tls-max", "1.2") }
        if let curves = settings.curves { words.add("--curves", curves.map(\.rawValue).joined(separator: ":")) }
        guard let identity = settings.identity else { return }
        guard let certificate = identity.paths.first else {
            throw ApusError(.invalidConfiguration, "curl reads a client certificate only from a file")
        }
        words.add("--cert", certificate)
        if identity.format == .pkcs12 { words.add("--cert-type", "P12") }
        // curl asks for the passphrase.
        if identity.paths.count > 1 { words.add("--key", identity.paths[1]) }
    }

    /// Returns the seconds, with three decimals if needed. Never 0, because that means no limit to curl.
    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds =
            seconds == 0 ? max(1, attoseconds / 1_000_000_000_000_000) : attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(seconds)" }
        return "\(seconds).\(milliseconds.padded(to: 3))"
    }

    /// Adds options that keep curl from changing the target, and the credentials of the URL.
    private static func addTarget(of request: RequestMessage, _ view: HARView, to words: inout Words) {
        let path = request.target.path
        if request.target.uri.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.add("-g") }
        let beginsWithDot = { (segment: Substring) in segment.hasPrefix(".") || segment.lowercased().hasPrefix("%2e") }
        if path.prefix(while: { $0 != "?" }).split(separator: "/").contains(where: beginsWithDot) {
            words.add("--path-as-is")
        }
        if !request.fields.contains(.authorization), let user = request.target.userInformation {
            let value = BasicCredentials.value(user: user.user, password: user.password)
            addAuthorization(HTTPField(name: .authorization, value: value), view, to: &words)
        }
    }

    private static func addFields(
        of request: RequestMessage,
        _ body: CurlBody,
        _ view: HARView,
        to words: inout Words
    ) {
        for field in request.fields {
            switch field.name {
            // curl writes them for the body.
            case .contentLength, .transferEncoding: continue
            case .contentType where body.writesContentType: continue
            case .expect where body.isEmpty: continue
            case .authorization where request.fields[fields: .authorization].count == 1:
                addAuthorization(field, view, to: &words)
            default: add(field, view, to: &words)
            }
        }
        // Remove the fields that curl would add to this request.
        var unwanted: [HTTPField.Name] = [.userAgent, .accept]
        if !body.isNone, !body.writesContentType { unwanted.append(.contentType) }
        if body.mayExpectContinue { unwanted.append(.expect) }
        for name in unwanted where !request.fields.contains(name) { words.add("-H", "\(name.rawName):") }
    }

    /// Adds Basic credentials with `-u` if that produces the same field.
    private static func addAuthorization(_ field: HTTPField, _ view: HARView, to words: inout Words) {
        if view.includesSecrets, field.value.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(field.value.dropFirst(6))),
            "Basic " + data.base64EncodedString() == field.value, !data.contains(0), data.contains(UInt8(ascii: ":")),
            let text = String(validating: data, as: UTF8.self)
        {
            words.add("-u", text)
        } else {
            add(field, view, to: &words)
        }
    }

    private static func add(_ field: HTTPField, _ view: HARView, to words: inout Words) {
        let value =
            view.includesSecrets ? field.withUnsafeBytesOfValue { Array($0) } : Array(view.value(of: field).utf8)
        let name = Array(field.name.rawName.utf8)
        words.add("-H")
        words.add(bytes: name + (value.isEmpty ? [UInt8(ascii: ";")] : [UInt8(ascii: ":"), 0x20] + value))
    }
}
