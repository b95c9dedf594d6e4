#if !canImport(Darwin)
    internal import ApusCore
    internal import ApusTestSupport
    internal import Dispatch
    internal import Testing

    @testable internal import ApusReachability

    /// The kernel drops messages for a socket whose buffer is full, and reports that once (`ENOBUFS`).
    ///
    /// The tests ask for an interface that does not exist, and do not read the answers. So the network of the machine
    /// stays as it is, and no message but the loss is about a change.
    @Suite(.timeLimit(.minutes(5))) struct NetlinkWatchTests {
        /// Fills the buffer of a socket.
        private func overrun(_ socket: NetlinkSocket) throws {
            for number in 1...256 { try socket.post(.link(0x7FFF_FFFF), sequence: UInt32(number)) }
        }

        @Test func reportsAnOverrunBeforeTheMessagesThatAreKept() throws {
            let socket = try NetlinkSocket(receiveBytes: 1)
            try overrun(socket)
            guard case .overrun = socket.receive() else {
                Issue.record("the kernel has dropped no messages")
                return
            }
            var changes = 0
            reading: while true {
                switch socket.receive() {
                case .datagram(let bytes):
                    let parser = NetlinkParser(bytes)
                    #expect(!parser.isMalformed)
                    changes += parser.messages.filter { $0.content.isChange }.count
                case .nothing: break reading
                case .overrun, .failure:
                    Issue.record("the kernel has reported another failure")
                    break reading
                }
            }
            #expect(changes == 0)
            // The socket can be used afterwards.
            #expect(try socket.ask(.links, sequence: 1000).isEmpty == false)
        }

        /// The manager reads nothing during its first look. It learns of the change only by the loss of messages.
        @Test func readsTheStatusAgainAfterAnOverrun() async throws {
            let socket = try NetlinkSocket(receiveBytes: 1)
            let network = HeldNetwork(socket)
            let manager = NetworkReachabilityManager(network: network)
            let seen = LockedList<ReachabilityStatus>()
            try manager.startListening(onQueue: DispatchQueue(label: "listener")) { seen.append($0) }
            let isHeld = await eventually { network.isHeld }
            let result = Result { try overrun(socket) }
            network.become(.reachable(.ethernetOrWiFi))
            // Released in any case, so that a failed test leaves no thread behind.
            network.release()
            #expect(isHeld)
            try result.get()
            #expect(await eventually { seen.all.last == .reachable(.ethernetOrWiFi) })
            #expect(seen.all == [.notReachable, .reachable(.ethernetOrWiFi)])
            manager.stopListening()
        }
    }

    /// A network that is watched by a socket, and whose first status is held back until it is released.
    private final class HeldNetwork: ObservedNetwork {
        private struct State {
            var status = ReachabilityStatus.notReachable
            var isHeld = false
        }

        private let socket: NetlinkSocket
        private let state = Lock(State())
        private let gate = DispatchSemaphore(value: 0)

        init(_ socket: NetlinkSocket) {
            self.socket = socket
        }

        /// Whether the first status was read.
        var isHeld: Bool { state.withLock { $0.isHeld } }

        /// Changes the status without a notification.
        func become(_ status: ReachabilityStatus) { state.withLock { $0.status = status } }

        func release() { gate.signal() }

        func status() -> ReachabilityStatus {
            let (status, isFirst) = state.withLock { state -> (ReachabilityStatus, Bool) in
                defer { state.isHeld = true }
                return (state.status, !state.isHeld)
            }
            if isFirst { gate.wait() }
            return status
        }

        func watch(
            on queue: DispatchQueue,
            _ changed: @escaping @Sendable () -> Void
        ) throws(ApusError) -> any AnyObject & Sendable {
            NetlinkWatch(socket, on: queue, changed)
        }
    }
#endif
