internal import ApusCore
internal import NIOCore

/// Races the addresses for a connection, and checks the address of the winner.
final class RaceStage: ConnectStage {
    private let setup: ConnectionSetup
    private var race: HappyEyeballs?

    init(_ setup: ConnectionSetup) {
        self.setup = setup
    }

    var limit: ConnectLimit { .connect }

    var unfinished: String { "no address responded" }

    var failures: String { race?.failuresSoFar ?? "" }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        let setup = setup
        setup.timings.connectBegin = setup.engine.now
        let race = HappyEyeballs(
            addresses: setup.addresses,
            local: setup.local,
            engine: setup.engine
        ) { [weak self] result in
            guard let self, self.race != nil else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            self.race = nil
            switch result {
            case .failure(let error):
                completion(.failure(error))
            case .success(let channel):
                if let refusal = setup.refusal(of: channel) {
                    channel.close(promise: nil)
                    return completion(.failure(refusal))
                }
                setup.channel = channel
                setup.timings.connectEnd = setup.engine.now
                setup.timings.remoteAddress = channel.remoteAddress?.formatted
                completion(.success(()))
            }
        }
        self.race = race
        race.start()
    }

    func cancel() {
        race?.cancel()
        race = nil
    }
}
