internal import ApusCore
internal import ApusPlatform
internal import ApusTestServer
internal import NIOCore
internal import NIOPosix
internal import Testing

@testable internal import ApusEngine

@Suite(.timeLimit(.minutes(5))) struct TCPKeepAliveSocketTests {
    /// The options of a socket, as the operating system reports them.
    private struct Options: Equatable {
        #if canImport(Darwin)
            private static let idleOption = TCP_KEEPALIVE
        #else
            private static let idleOption = TCP_KEEPIDLE
        #endif

        var isOn: Bool
        var idle: Int32
        var interval: Int32
        var probes: Int32

        init(isOn: Bool, idle: Int32 = 0, interval: Int32 = 0, probes: Int32 = 0) {
            self.isOn = isOn
            self.idle = idle
            self.interval = interval
            self.probes = probes
        }

        /// Reads the options. The times and the count matter only if probes are sent.
        init(of socket: Int32) {
            let isOn = Self.value(SOL_SOCKET, SO_KEEPALIVE, of: socket) != 0
            self.init(
                isOn: isOn,
                idle: isOn ? Self.value(Int32(IPPROTO_TCP), Self.idleOption, of: socket) : 0,
                interval: isOn ? Self.value(Int32(IPPROTO_TCP), TCP_KEEPINTVL, of: socket) : 0,
                probes: isOn ? Self.value(Int32(IPPROTO_TCP), TCP_KEEPCNT, of: socket) : 0
            )
        }

        private static func value(_ level: Int32, _ name: Int32, of socket: Int32) -> Int32 {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            let code = getsockopt(socket, level, name, &value, &length)
            #expect(code == 0)
            return value
        }
    }

    /// Connects with the dialer of a session, and returns the options of the socket.
    private func options(_ configure: (inout SessionConfiguration) -> Void) async throws -> Options {
        var configuration = SessionConfiguration()
        configure(&configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let shared = EngineContext(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: SystemResolver.shared,
            engineLoops: [EngineLoop(loop: loop)]
        )
        return try await TestServer.with { server in
            let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
            let channel = try await shared.dialer.dial(address, nil, loop, { _ in }).get()
            let options = try await loop.submit {
                try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                    Options(of: $0)
                }
            }.get()
            try await channel.close().get()
            return try #require(options)
        }
    }

    @Test func isOnByDefault() async throws {
        let options = try await options { _ in }
        #expect(options == Options(isOn: true, idle: 15, interval: 15, probes: 9))
    }

    @Test func usesTheSettingsOfTheSession() async throws {
        let options = try await options {
            $0.tcpKeepAlive = TCPKeepAlive(idle: .seconds(61), interval: .milliseconds(2_001), probes: 3)
        }
        #expect(options == Options(isOn: true, idle: 61, interval: 3, probes: 3))
    }

    @Test func canBeSwitchedOff() async throws {
        #expect(try await options { $0.tcpKeepAlive = nil } == Options(isOn: false))
    }

    /// Otherwise the system would refuse the values, and use its own.
    @Test func usesTheNearestValuesThatTheSystemAccepts() async throws {
        let least = try await options {
            $0.tcpKeepAlive = TCPKeepAlive(idle: .zero, interval: .seconds(-5), probes: .min)
        }
        #expect(least == Options(isOn: true, idle: 1, interval: 1, probes: 1))
        let most = try await options {
            $0.tcpKeepAlive = TCPKeepAlive(idle: .seconds(32_768), interval: .seconds(Int64.max), probes: .max)
        }
        #expect(most == Options(isOn: true, idle: 32_767, interval: 32_767, probes: 127))
    }

    @Test(arguments: [
        (Duration.zero, 1), (.nanoseconds(1), 1), (.seconds(1), 1), (.milliseconds(1_001), 2),
        (.seconds(32_766), 32_766), (.milliseconds(32_766_001), 32_767), (.milliseconds(32_767_001), 32_767),
        (.seconds(-1), 1), (.milliseconds(-1), 1),
    ])
    func roundsUpToWholeSeconds(duration: Duration, seconds: Int) {
        #expect(Int(TCPKeepAlive.wholeSeconds(duration)) == seconds)
    }
}
