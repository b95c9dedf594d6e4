#if !canImport(Darwin)
    internal import ApusCore
    internal import ApusPlatform
    internal import Dispatch
    internal import Foundation

    /// The routes of the Linux kernel to a target.
    ///
    /// The kernel is asked for the route of each address, and for the interface of the route. So its rules and tables
    /// decide, and nothing has to be kept up to date.
    struct RouteNetwork: ObservedNetwork {
        /// A list that changes while it is written is read again, up to this many times in all.
        private static let maximumTries = 3

        let target: ReachabilityTarget

        func status() -> ReachabilityStatus {
            do {
                var questions = Questions(socket: try NetlinkSocket())
                guard let groups = target.groups else { return try Self.statusOfInterfaces(&questions) }
                var statuses: [ReachabilityStatus] = []
                for group in groups {
                    var ofGroup: [ReachabilityStatus] = []
                    for address in group { ofGroup.append(try Self.status(towards: address, &questions)) }
                    statuses.append(.worst(of: ofGroup))
                }
                return .best(of: statuses)
            } catch {
                return .unknown
            }
        }

        func watch(
            on queue: DispatchQueue,
            _ changed: @escaping @Sendable () -> Void
        ) throws(ApusError) -> any AnyObject & Sendable {
            try NetlinkWatch(on: queue, changed)
        }

        /// A socket, and the number of its requests.
        private struct Questions {
            let socket: NetlinkSocket
            private var count: UInt32 = 0

            init(socket: NetlinkSocket) {
                self.socket = socket
            }

            mutating func ask(_ request: NetlinkRequest) throws(NetlinkSocket.Failure) -> [NetlinkMessage.Content] {
                count += 1
                return try socket.ask(request, sequence: count)
            }
        }

        /// The errors that say nothing about a route.
        private static let unrelated = [EPERM, ENOMEM, ENOBUFS, EBUSY, EAGAIN, ETIMEDOUT, EBADMSG, EMSGSIZE]

        private static func status(
            towards address: IPAddress,
            _ questions: inout Questions
        ) throws(NetlinkSocket.Failure) -> ReachabilityStatus {
            do throws(NetlinkSocket.Failure) {
                guard case .route(let route)? = try questions.ask(.route(address)).first, route.isUsable,
                    let index = route.index, case .link(let link)? = try questions.ask(.link(index)).first
                else { return .notReachable }
                return link.status(isModem: isModem)
            } catch {
                // There is no route, or its interface was removed meanwhile.
                guard unrelated.contains(error.number) else { return .notReachable }
                throw error
            }
        }

        private static func statusOfInterfaces(_ questions: inout Questions) throws -> ReachabilityStatus {
            var tries = 0
            while true {
                tries += 1
                do {
                    var state = NetworkState()
                    for content in try questions.ask(.links) { state.apply(content) }
                    for content in try questions.ask(.addresses) { state.apply(content) }
                    return state.status(isModem: isModem)
                } catch {
                    // The rest of an interrupted list has another number, and is skipped.
                    guard tries < maximumTries else { throw error }
                }
            }
        }

        /// Whether the kernel says that an interface is a mobile network.
        private static func isModem(_ link: NetworkLink) -> Bool {
            guard !link.name.isEmpty, !link.name.contains("/"), link.name != "..", link.name != "." else {
                return false
            }
            let facts = try? String(contentsOfFile: "/sys/class/net/\(link.name)/uevent", encoding: .utf8)
            return facts?.split(separator: "\n").contains("DEVTYPE=wwan") ?? false
        }
    }
#endif
