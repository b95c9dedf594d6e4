package import ApusCore
internal import HTTPTypes

/// Sends the cookies that are for a request, and takes those that its answer sets.
///
/// It works on one hop: what a redirect sets goes to where it leads, if it is for there, and the field that went to one
/// hop never goes to the next. Cookies are those of the final head; of an informational response none is taken.
///
/// A `Cookie` field of the request's own is kept, ahead of the jar's cookies and in one field with them; of equal names
/// the request's own is sent alone.
///
/// See RFC 6265bis §5.8, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.8
package final class Cookies: PromptMiddleware {
    private let jar: CookieJar?
    private let userCode: UserCodeExecution

    /// - Parameters:
    ///   - handling: What holds for requests that do not say otherwise.
    ///   - userCode: Where a policy of the user's is asked.
    package init(_ handling: CookieHandling, userCode: UserCodeExecution) {
        self.jar = handling.jar
        self.userCode = userCode
    }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) {
        if let jar = jar(for: context) { add(jar, to: &request) }
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
        if let jar = jar(for: context) { await receive(response, from: request.target, into: jar) }
        return response
    }

    private func jar(for context: RequestContext) -> CookieJar? {
        switch context[CookieHandling.self] {
        case nil, .automatic: jar
        case .off: nil
        case .jar(let own): own
        }
    }

    private func add(_ jar: CookieJar, to request: inout RequestMessage) {
        guard request.fields.has(.cookie) else {
            if let field = jar.field(for: request.target) { request.fields.append(field) }
            return
        }
        let own = request.fields[.cookie] ?? ""
        let value = jar.fieldValue(for: request.target, except: Self.names(in: own))
        // One field, also where the request has brought several: there must not be more.
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

    private func receive(_ response: ResponseMessage, from target: TargetURI, into jar: CookieJar) async {
        guard case .filtered = jar.policy, userCode == .offLoop else {
            jar.receive(response.fields, from: target)
            return
        }
        let fields = response.fields
        await offLoop { jar.receive(fields, from: target) }
    }
}
