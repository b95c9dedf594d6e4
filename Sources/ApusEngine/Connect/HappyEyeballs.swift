internal import ApusCore
internal import NIOCore

/// Races a host's addresses for a TCP connection, as its state machine decides. Confined to its event loop.
final class HappyEyeballs {
    /// The delay after the last attempt before the next address is tried, RFC 8305 §8.
    private static let attemptDelay = Duration.milliseconds(250)

    private let engine: EventLoopEngine
    private let addresses: [SocketAddress]
    private let local: LocalAddresses?
    private var machine: HappyEyeballsStateMachine
    private var channels: [Int: any Channel] = [:]
    private var delay: LoopTimer?
    private var failures: [String] = []
    private var completion: ((Result<any Channel, ApusError>) -> Void)?

    init(
        addresses: [SocketAddress],
        local: LocalAddresses?,
        engine: EventLoopEngine,
        completion: @escaping (Result<any Channel, ApusError>) -> Void
    ) {
        self.engine = engine
        self.addresses = addresses
        self.local = local
        self.machine = HappyEyeballsStateMachine(count: addresses.count)
        self.completion = completion
    }

    func start() {
        carryOut(machine.proceed())
    }

    /// The failures so far, for the error message of a timeout.
    var failuresSoFar: String { failures.joined(separator: "; ") }

    /// Closes all attempts without calling the completion handler.
    func cancel() {
        completion = nil
        delay?.cancel()
        close(machine.cancel())
    }

    private func carryOut(_ action: HappyEyeballsStateMachine.Action) {
        switch action {
        case .attempt(let index):
            attempt(index)
        case .wait:
            break
        case .fail:
            finish(.failure(ApusError(.connectFailed, failuresSoFar)))
        }
    }

    private func attempt(_ index: Int) {
        let address = addresses[index]
        let loopBound = NIOLoopBound(self, eventLoop: engine.loop)
        engine.shared.dialer
            .dial(address, local?.end(for: address), engine.loop) { loopBound.value.channels[index] = $0 }
            .assumeIsolated()
            .whenComplete { self.attemptEnded(index, $0) }
        guard machine.hasMore else { return }
        delay?.cancel()
        delay = LoopTimer(on: engine, at: engine.now.advanced(by: Self.attemptDelay)) { [weak self] in
            guard let self else { return }
            self.carryOut(self.machine.proceed())
        }
    }

    private func attemptEnded(_ index: Int, _ result: Result<any Channel, any Error>) {
        channels[index] = nil
        switch result {
        case .success(let channel):
            guard let losers = machine.succeeded(index) else { return channel.close(promise: nil) }
            close(losers)
            finish(.success(channel))
        case .failure(let error):
            failures.append("\(addresses[index].formatted): \(TransportFailure.describe(error))")
            carryOut(machine.failed(index))
        }
    }

    private func close(_ attempts: Set<Int>) {
        for index in attempts { channels.removeValue(forKey: index)?.close(promise: nil) }
    }

    private func finish(_ result: Result<any Channel, ApusError>) {
        delay?.cancel()
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

extension SocketAddress {
    /// The address and port in the usual notation, or the path of a Unix socket.
    var formatted: String {
        guard let ipAddress, let port else { return pathname ?? description }
        return ipAddress.utf8.contains(UInt8(ascii: ":")) ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }
}
