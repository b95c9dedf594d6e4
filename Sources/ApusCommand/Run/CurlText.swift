internal import Apus

/// The output of `--curl`: a curl command that sends the same request.
struct CurlText {
    let invocation: Invocation
    let plan: RequestPlan
    let files: Files

    /// Returns the command.
    ///
    /// - Parameters:
    ///   - request: The request that would be sent.
    ///   - configuration: The configuration of the session.
    /// - Returns: The command, without a line feed at its end.
    /// - Throws: `CommandFault` or `ApusError` if curl can't send the same request.
    func text(_ request: RequestMessage, configuration: Session.Configuration) async throws -> String {
        try CurlCommand.text(
            request,
            content: await content(of: request),
            configuration: configuration,
            arguments: arguments
        )
    }

    /// Returns the parts of a form if curl can express them, otherwise the bytes of the body.
    private func content(of request: RequestMessage) async throws -> CurlCommand.Content? {
        guard case .parts(let parts) = plan.content else { return nil }
        let converted = parts.map { part in
            switch part.value {
            case .text(let text): CurlCommand.Part(name: part.name, value: .text(text))
            case .file(let path, let type): CurlCommand.Part(name: part.name, value: .file(path: path, mediaType: type))
            }
        }
        // curl can't express a custom boundary or media type, or a compressed form.
        let isUsual =
            plan.hasUsualType && request.fields.contains(.contentType) && !request.fields.contains(.contentEncoding)
        if isUsual, converted.allSatisfy(\.isExpressible) { return .form(converted) }
        var bytes: [UInt8] = []
        let reader = try await request.body.open()
        while let chunk = try await reader.next() {
            chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
            guard bytes.count <= CurlCommand.contentBytes else {
                throw CommandFault(
                    """
                    --curl can't express this form with curl's options, and its body is longer than \
                    \(CurlCommand.contentBytes) bytes; give the parts simpler names, or drop --boundary, --compress \
                    and Content-Type
                    """
                )
            }
        }
        return .bytes(bytes)
    }

    /// The arguments for the proxy, for the rate, for Digest credentials and for the output file.
    private var arguments: [String] {
        let rate = invocation.rateLimit.map { ["--limit-rate", "\($0)"] } ?? []
        let others = invocation.proxies.curlArguments(for: plan.target.origin.scheme) + rate + destination
        guard case .digest(let user, let password) = plan.credentials else { return others }
        return ["--digest", "--user", "\(user):\(password)"] + others
    }

    private var destination: [String] {
        switch invocation.download {
        case .newFile: ["--fail", "--remote-name", "--remote-header-name"]
        case .file(let name): ["--fail", "--output", files.path(name)]
        case .standardOutput: ["--fail"]
        case nil: invocation.outputFile.map { ["--output", files.path($0)] } ?? []
        }
    }
}
