internal import ApusReachability
internal import Testing

@testable internal import ApusAFNetworking

@Suite struct AFNetworkReachabilityStatusTests {
    @Test func hasTheRawValuesOfAFNetworking() {
        let numbers = AFNetworkReachabilityStatus.allCases.map(\.rawValue)
        #expect(numbers == [-1, 0, 1, 2])
        #expect(Set(AFNetworkReachabilityStatus.allCases.map(\.description)).count == 4)
    }

    @Test func hasACaseForEachStatus() {
        let statuses: [ReachabilityStatus] = [
            .unknown, .notReachable, .reachable(.cellular), .reachable(.ethernetOrWiFi),
        ]
        #expect(statuses.map { AFNetworkReachabilityStatus($0) } == AFNetworkReachabilityStatus.allCases)
    }
}
