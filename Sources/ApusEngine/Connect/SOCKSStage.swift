internal import ApusCore
internal import NIOCore

/// Opens a connection to the origin through a SOCKS 5 proxy.
///
/// If the origin was resolved here, its addresses are tried in order. Each one needs a connection of its own to the
/// proxy, which closes the connection after a refusal.
final class SOCKSStage: ConnectStage {
    /// The maximum number of addresses of the origin that are tried.
    private static let maximumAddresses = 4

    private let setup: ConnectionSetup
    private let proxy: ProxyServer
    private var triedCount = 0
    private var handshake: SOCKSHandshake?
    private let course = TunnelCourse()

    init(_ setup: ConnectionSetup, _ proxy: ProxyServer) {
        self.setup = setup
        self.proxy = proxy
    }

    var limit: ConnectLimit { .proxy }

    var unfinished: String { "the proxy \(proxy) did not connect to \(target)" }

    private var target: String { "\(setup.route.origin.host) on port \(setup.route.origin.port)" }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        course.start(completion)
        let handler = TunnelHandler(
            receive: { [weak self] in self?.receive(&$0) ?? false },
            end: { [weak self] in self?.ended($0) }
        )
        do {
            let handshake = try makeHandshake()
            self.handshake = handshake
            try course.begin(on: setup.channel, handler)
            send(handshake.greeting)
        } catch {
            course.finish(.failure(ApusError.wrapping(error) { closed($0) }))
        }
    }

    func cancel() { course.cancel() }

    private func makeHandshake() throws(ApusError) -> SOCKSHandshake {
        let maximum = SOCKSHandshake.maximumTextBytes
        var credentials: (user: String, password: String)?
        if let user = proxy.user {
            let password = proxy.password ?? ""
            guard 1...maximum ~= user.utf8.count, password.utf8.count <= maximum else {
                throw ApusError(
                    .invalidConfiguration,
                    "the user or the password of the proxy \(proxy) is longer than 255 bytes, or the user is empty"
                )
            }
            credentials = (user, password)
        }
        // An override may lead to another port.
        let port = setup.originAddresses.first?.port ?? setup.route.origin.port
        return SOCKSHandshake(to: try destination(), port: port, credentials: credentials)
    }

    private func destination() throws(ApusError) -> SOCKSHandshake.Destination {
        if let address = setup.originAddresses.first?.address { return .address(address) }
        // A proxy has other interfaces, so an address with the name of one stays a name.
        if let address = IPAddress(setup.name), address.scope == 0 { return .address(address) }
        guard setup.name.utf8.count <= SOCKSHandshake.maximumTextBytes else {
            throw ApusError(.invalidRequest, "the host has more than 255 bytes, which SOCKS does not allow")
        }
        return .name(setup.name)
    }

    private func send(_ bytes: [UInt8]) {
        setup.channel?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    private func receive(_ buffer: inout ByteBuffer) -> Bool {
        do throws(SOCKSFault) {
            while course.isUnderWay, let step = try handshake?.receive(&buffer) {
                switch step {
                case .wait: return false
                case .send(let bytes): send(bytes)
                case .open:
                    setup.timings.connectEnd = setup.engine.now
                    course.finish(.success(()))
                    return true
                }
            }
        } catch {
            if case .refused = error, triesAnotherAddress() {
                setup.needsAnotherConnection = true
                course.finish(.success(()))
            } else {
                course.finish(.failure(ProxyFailure.socks(proxy, error, target)))
            }
        }
        return false
    }

    /// Removes the address that was tried. Returns whether another one is left.
    private func triesAnotherAddress() -> Bool {
        triedCount += 1
        guard triedCount < Self.maximumAddresses, setup.originAddresses.count > 1 else { return false }
        setup.originAddresses.removeFirst()
        return true
    }

    private func ended(_ error: any Error) {
        guard course.isUnderWay else { return }
        course.finish(.failure(closed(error)))
    }

    private func closed(_ error: any Error) -> ApusError {
        ApusError(
            .proxyConnectFailed,
            "the proxy \(proxy) did not connect to \(target): \(TransportFailure.describe(error, peer: "the proxy"))",
            underlying: error
        )
    }
}
