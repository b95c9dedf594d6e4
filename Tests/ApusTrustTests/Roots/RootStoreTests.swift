internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Dispatch
internal import Foundation
internal import Testing

@testable internal import ApusTrust

@Suite(.timeLimit(.minutes(5))) struct RootStoreTests {
    private let scratch: TemporaryFolder
    private let time = LockedValue(MonotonicInstant(nanoseconds: 1_000_000_000_000))

    init() throws {
        scratch = try TemporaryFolder()
    }

    private func store(_ system: @escaping @Sendable () -> SystemRoots = { SystemRoots(environment: [:]) }) -> RootStore
    {
        RootStore(reader: RootReader(system: system)) { [time] in time.value }
    }

    private func pass(_ duration: Duration) {
        time.change { $0 = $0.advanced(by: duration) }
    }

    private func path(_ name: String) -> String { scratch.url(name).path(percentEncoded: false) }

    @Test func readsEachKindOfRoots() async throws {
        try scratch.write(TestTLS.authorityPEM, to: "a.pem")
        let file = ServerTrust.Roots.file(path("a.pem"))
        let folder = ServerTrust.Roots.folder(scratch.url.path(percentEncoded: false))
        let text = ServerTrust.Roots.pem(TestTLS.selfSigned.certificateChainPEM)
        let system = [path("a.pem")]
        let store = store { SystemRoots(files: system, folders: [], readsFolders: false) }
        let cases: [(ServerTrust.Roots, Int)] = [
            (file, 1), (folder, 1), (text, 1), (.system, 1), (.all([file, text]), 2), (.all([file, folder]), 1),
            (.all([.all([.system]), text]), 2),
        ]
        for (roots, count) in cases {
            #expect(try await store.index(for: roots).count == count)
            #expect(try store.load(roots).count == count)
        }
        let error = await failure { try await store.index(for: .all([])) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func keepsRootsUntilTheirFilesChange() async throws {
        try scratch.write(TestTLS.authorityPEM, to: "a.pem")
        let store = store()
        let roots = ServerTrust.Roots.file(path("a.pem"))
        let first = try await store.index(for: roots)
        #expect(try await store.index(for: roots) === first)
        pass(.seconds(61))
        #expect(try await store.index(for: roots) === first)
        try scratch.write(TestTLS.authorityPEM + TestTLS.selfSigned.certificateChainPEM, to: "a.pem")
        // The files were checked less than 60 s ago.
        pass(.seconds(59))
        #expect(try await store.index(for: roots) === first)
        pass(.seconds(1))
        #expect(try await store.index(for: roots).count == 2)
    }

    @Test func noticesANewFileInAFolder() async throws {
        try scratch.write(TestTLS.authorityPEM, to: "a.pem")
        let store = store()
        let roots = ServerTrust.Roots.folder(scratch.url.path(percentEncoded: false))
        #expect(try store.load(roots).count == 1)
        try scratch.write(TestTLS.selfSigned.certificateChainPEM, to: "b.pem")
        pass(.seconds(60))
        #expect(try store.load(roots).count == 2)
    }

    @Test func triesAgainAfterAFailure() async throws {
        let store = store()
        let roots = ServerTrust.Roots.file(path("late.pem"))
        let missing = await failure { try await store.index(for: roots) }
        #expect(missing?.code == .invalidConfiguration)
        try scratch.write(TestTLS.authorityPEM, to: "late.pem")
        #expect(try await store.index(for: roots).count == 1)
        // Roots that can't be read any more are not used any more.
        try FileManager.default.removeItem(at: scratch.url("late.pem"))
        pass(.seconds(60))
        let removed = await failure { try await store.index(for: roots) }
        #expect(removed?.code == .invalidConfiguration)
    }

    @Test func readsOnceForAllWhoAskAtTheSameTime() async throws {
        try scratch.write(TestTLS.authorityPEM, to: "a.pem")
        let gate = DispatchSemaphore(value: 0)
        let calls = LockedValue(0)
        let system = [path("a.pem")]
        let store = store {
            if calls.increased(by: 1) == 1 { gate.wait() }
            return SystemRoots(files: system, folders: [], readsFolders: false)
        }
        let waiters = (0..<10).map { _ in Task { try await store.index(for: .system) } }
        #expect(await eventually { calls.value == 1 })
        gate.signal()
        var found: [ObjectIdentifier] = []
        for waiter in waiters { found.append(ObjectIdentifier(try await waiter.value)) }
        #expect(Set(found).count == 1)
        // For the stamp, and for the certificates.
        #expect(calls.value == 2)
    }

    @Test func holdsUpNoOtherRootsWhileAFileHangs() async throws {
        let gate = DispatchSemaphore(value: 0)
        let calls = LockedValue(0)
        let store = store {
            _ = calls.increased(by: 1)
            gate.wait()
            return SystemRoots(files: [], folders: [], readsFolders: false)
        }
        let hung = Task { await failure { try await store.index(for: .system) } }
        #expect(await eventually { calls.value == 1 })
        #expect(try await store.index(for: .pem(TestTLS.authorityPEM)).count == 1)
        hung.cancel()
        #expect(await hung.value?.code == .cancelled)
        for _ in 0..<2 { gate.signal() }
    }

    @Test func keepsALimitedNumber() async throws {
        let store = store()
        let roots = (0...RootStore.capacity).map { ServerTrust.Roots.pem("\($0)\n" + TestTLS.authorityPEM) }
        let first = try store.load(roots[0])
        for other in roots.dropFirst() { try store.load(other) }
        #expect(try store.load(roots[0]) !== first)
    }

    @Test func readsTheRootsOfThisSystem() async throws {
        // A minimal system has none.
        guard let roots = try? RootStore.shared.load(.system) else { return }
        #expect(roots.count > 0)
        #expect(roots.parsedCount < roots.count)
    }
}
