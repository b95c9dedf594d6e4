internal import ApusCore
internal import HTTPTypes
internal import NIOCore

/// Opens a tunnel to the origin through an HTTP proxy, with CONNECT: RFC 9110 §9.3.6.
///
/// A challenge is answered on the same connection, or on another one if the proxy closes it.
final class ProxyConnectStage: ConnectStage {
    /// The maximum number of challenges that are answered.
    static let maximumAnswers = 2

    private let setup: ConnectionSetup
    private let proxy: ProxyServer
    private var tunnel = ProxyTunnel()
    private var answerCount = 0
    /// Whether the last request had credentials for the proxy.
    private var hasSentCredentials = false
    private let course = TunnelCourse()

    init(_ setup: ConnectionSetup, _ proxy: ProxyServer) {
        self.setup = setup
        self.proxy = proxy
    }

    var limit: ConnectLimit { .proxy }

    var unfinished: String { "the proxy \(proxy) did not open a tunnel to \(target)" }

    var verdict: ApusError? { tunnel.refusal.map { error(for: $0) } }

    /// The host and port of the origin: RFC 9112 §3.2.3.
    private var target: String {
        let origin = setup.route.origin
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        return "\(host):\(origin.port)"
    }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        course.start(completion)
        let handler = TunnelHandler(
            receive: { [weak self] in self?.receive(&$0) ?? false },
            end: { [weak self] in self?.ended($0) }
        )
        do {
            try course.begin(on: setup.channel, handler)
            try send()
        } catch {
            course.finish(.failure(ApusError.wrapping(error) { closed($0) }))
        }
    }

    func cancel() { course.cancel() }

    private func send() throws {
        tunnel.begin()
        var fields = HTTPFields()
        fields[.userAgent] = setup.engine.shared.configuration.fields[.userAgent]
        let field = try setup.engine.proxyAuthorizations.field(for: proxy, method: .connect, target: target)
        hasSentCredentials = field != nil
        if let field { fields.append(field) }
        var head = ByteBuffer()
        do throws(RequestEncodeError) {
            try HTTP1RequestEncoder.encode(
                method: .connect,
                target: target,
                host: target,
                fields: fields,
                framing: .none,
                into: &head
            )
        } catch {
            throw error.asApusError
        }
        setup.channel?.writeAndFlush(head, promise: nil)
    }

    private func receive(_ buffer: inout ByteBuffer) -> Bool {
        guard course.isUnderWay else { return false }
        do throws(HTTP1ParseError) {
            return handle(try tunnel.receive(&buffer))
        } catch {
            course.finish(.failure(ProxyFailure.malformed(proxy, error)))
            return false
        }
    }

    private func ended(_ error: any Error) {
        guard course.isUnderWay else { return }
        guard let step = tunnel.end() else { return course.finish(.failure(closed(error))) }
        _ = handle(step)
    }

    /// Returns whether the tunnel is open.
    private func handle(_ step: ProxyTunnel.Step) -> Bool {
        switch step {
        case .wait: return false
        case .open:
            setup.timings.connectEnd = setup.engine.now
            course.finish(.success(()))
            return true
        case .refused(let refusal):
            course.finish(.failure(error(for: refusal)))
            return false
        case .challenged(let refusal, let isReusable):
            answer(refusal, isReusable: isReusable)
            return false
        }
    }

    private func answer(_ refusal: ProxyTunnel.Refusal, isReusable: Bool) {
        let isAnswered = answerCount > 0
        guard answerCount < Self.maximumAnswers,
            setup.engine.proxyAuthorizations.takeUp(refusal.fields, of: proxy, isAnswered: isAnswered)
        else { return course.finish(.failure(error(for: refusal))) }
        answerCount += 1
        guard isReusable else {
            setup.needsAnotherConnection = true
            return course.finish(.success(()))
        }
        do {
            try send()
        } catch {
            course.finish(.failure(ApusError.wrapping(error) { closed($0) }))
        }
    }

    private func closed(_ error: any Error) -> ApusError {
        let text = TransportFailure.describe(error, peer: "the proxy")
        return ApusError(
            .proxyConnectFailed,
            "the proxy \(proxy) opened no tunnel to \(target): \(text)",
            underlying: TLSFailure.cause(of: error)
        )
    }

    private func error(for refusal: ProxyTunnel.Refusal) -> ApusError {
        let response = HTTPResponse(status: refusal.status, headerFields: refusal.fields)
        if refusal.status.code == 407 {
            return ProxyFailure.unauthorized(proxy, hasSent: hasSentCredentials).with(response: response)
        }
        return ProxyFailure.refused(proxy, refusal, target).with(response: response)
    }
}
