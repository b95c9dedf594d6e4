internal import Testing

@testable internal import ApusResilience

@Suite struct InterfaceWatchTests {
    @Test(
        arguments: [
            ([], false), ([.up], false), ([.running], false), ([.up, .running], true),
            ([.up, .running, .loopback], false),
        ] as [(InterfaceWatch.Flags, Bool)]
    )
    func usesInterfacesThatAreUpAndRunning(flags: InterfaceWatch.Flags, isUsable: Bool) {
        #expect(InterfaceWatch.isUsable(flags) == isUsable)
    }

    @Test(
        arguments: [
            ([192, 168, 1, 2], true), ([10, 0, 0, 1], true), ([0, 0, 0, 0], false), ([127, 0, 0, 1], false),
            ([169, 254, 3, 4], false), ([169, 253, 3, 4], true),
        ] as [([UInt8], Bool)]
    )
    func requiresAnAssignedIPv4Address(address: [UInt8], isAssigned: Bool) {
        #expect(InterfaceWatch.isAssigned(address) == isAssigned)
    }

    @Test(
        arguments: [
            ([0x20, 0x01], 1, true), ([0xFD, 0x00], 1, true), ([0xFE, 0x80], 1, false), ([0xFE, 0xBF], 1, false),
            ([0xFE, 0xC0], 1, true), ([0, 0], 1, false), ([0, 0], 0, false), ([0, 0], 2, true),
        ] as [([UInt8], UInt8, Bool)]
    )
    func requiresAnAssignedIPv6Address(prefix: [UInt8], last: UInt8, isAssigned: Bool) {
        #expect(InterfaceWatch.isAssigned(prefix + Array(repeating: 0, count: 13) + [last]) == isAssigned)
    }

    @Test func findsTheAddressesOfThisMachine() throws {
        let addresses = try #require(InterfaceWatch.addresses())
        #expect(addresses.contains { $0.flags.isSuperset(of: [.up, .loopback]) && $0.bytes == [127, 0, 0, 1] })
        #expect(addresses.allSatisfy { $0.bytes.count == 4 || $0.bytes.count == 16 })
    }

    /// Parity: AF-retry-offline-interfaces
    @Test func agreesWithTheAddressesOfThisMachine() throws {
        let addresses = try #require(InterfaceWatch.addresses())
        let isUsable = addresses.contains { InterfaceWatch.isUsable($0.flags) && InterfaceWatch.isAssigned($0.bytes) }
        #expect(InterfaceWatch().isReachable() == isUsable)
    }
}
