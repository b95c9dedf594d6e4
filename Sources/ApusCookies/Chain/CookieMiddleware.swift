package import ApusCore
internal import HTTPTypes

/// Sends the cookies that match a request, and stores those that its response sets.
///
/// It handles each exchange separately. Cookies set by a redirect are sent to its location if they match. The `Cookie`
/// field is never copied to the next exchange. Informational responses do not set cookies.
///
/// A `Cookie` field set by the request is kept. The cookies of the jar follow it in the same field, except for those
/// with a name that the request already set.
///
/// A loopback host counts as secure without TLS, unless a proxy or an override of its address leads elsewhere.
///
/// See RFC 6265bis §5.8, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.8
package final class CookieMiddleware: SynchronousMiddleware {
    private let jar: CookieJar?
    private let handlerExecution: HandlerExecution

    /// - Parameters:
    ///   - handling: The default for requests that do not set it.
    ///   - handlerExecution: Where the user's policy is called.
    package init(_ handling: CookieHandling, handlerExecution: HandlerExecution) {
        self.jar = handling.jar
        self.handlerExecution = handlerExecution
    }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) {
        if let jar = jar(for: request.options) { add(jar, to: &request, context) }
    }

    package func isConcerned(by response: borrowing ResponseMessage) -> Bool {
        !response.isPlain && response.fields.contains(.setCookie)
    }

    package func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async -> ResponseMessage {
        guard let jar = jar(for: request.options) else { return response }
        let isDirect = isDirect(request.target, request.options, context)
        await receive(response, from: request.target, isDirect: isDirect, into: jar)
        return response
    }

    /// Returns whether the connection of a request to a loopback host stays on this machine. `true` for all others.
    private func isDirect(_ target: TargetURI, _ options: RequestOptions, _ context: RequestContext) -> Bool {
        guard target.origin.scheme == .http, CookieScope.isLoopback(target.origin.host) else { return true }
        return context.environment.configuration.connectsDirectly(toLoopback: target, options)
    }

    private func jar(for options: RequestOptions) -> CookieJar? {
        switch options[CookieHandling.self] {
        case nil, .automatic: jar
        case .off: nil
        case .jar(let own): own
        }
    }

    private func add(_ jar: CookieJar, to request: inout RequestMessage, _ context: RequestContext) {
        let target = request.target
        let options = request.options
        guard request.fields.has(.cookie) else {
            let field = jar.field(for: target, isDirect: isDirect(target, options, context))
            if let field { request.fields.append(field) }
            return
        }
        let own = request.fields[.cookie] ?? ""
        let value = jar.fieldValue(
            for: target,
            except: Self.names(in: own),
            isDirect: isDirect(target, options, context)
        )
        // Write a single field, because a request must not have several, even if it set more than one.
        request.fields[fields: .cookie] = [
            HTTPField(name: .cookie, value: [own, value ?? ""].filter { !$0.isEmpty }.joined(separator: "; "))
        ]
    }

    private static func names(in field: String) -> Set<String> {
        Set(
            field.split(separator: ";").map { pair in
                pair.contains("=") ? String(pair.prefix { $0 != "=" }).trimmed : ""
            }
        )
    }

    private func receive(
        _ response: ResponseMessage,
        from target: TargetURI,
        isDirect: Bool,
        into jar: CookieJar
    ) async {
        guard case .filtered = jar.policy, handlerExecution == .concurrent else {
            jar.receive(response.fields, from: target, isDirect: isDirect)
            return
        }
        let fields = response.fields
        await offEventLoop { jar.receive(fields, from: target, isDirect: isDirect) }
    }
}
