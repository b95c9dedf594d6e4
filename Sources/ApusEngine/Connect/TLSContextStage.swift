internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Prepares the TLS context in parallel with the lookup, off the loop: an unreadable file blocks no other request.
final class TLSContextStage: ConnectStage {
    private let setup: ConnectionSetup
    private let security: TLSSecurity
    private let hop: ConnectionHop
    private var wait: JobInterest?
    private var fail: ((ApusError) -> Void)?
    private var completion: ((Result<Void, ApusError>) -> Void)?

    init(_ setup: ConnectionSetup, _ security: TLSSecurity, for hop: ConnectionHop = .origin) {
        self.setup = setup
        self.security = security
        self.hop = hop
    }

    var limit: ConnectLimit { .connect }

    var unfinished: String { "the files of the TLS settings were not read" }

    func prepare(fail: @escaping (ApusError) -> Void) {
        self.fail = fail
        let loop = setup.loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        wait = setup.engine.shared.tlsContexts.context(for: security) { result in
            if loop.inEventLoop { return bound.value.prepared(result) }
            loop.execute { bound.value.prepared(result) }
        }
    }

    private func prepared(_ result: Result<NIOSSLContext, ApusError>) {
        guard let fail else { return }
        self.fail = nil
        wait = nil
        switch result {
        case .failure(let error): fail(error)
        case .success(let context):
            if hop == .proxy { setup.proxyTLSContext = context } else { setup.tlsContext = context }
            let completion = completion
            self.completion = nil
            completion?(.success(()))
        }
    }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        if (hop == .proxy ? setup.proxyTLSContext : setup.tlsContext) != nil { return completion(.success(())) }
        self.completion = completion
    }

    func cancel() {
        fail = nil
        completion = nil
        wait?.withdraw()
        wait = nil
    }
}
