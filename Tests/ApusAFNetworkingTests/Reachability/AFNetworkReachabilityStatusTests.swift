internal import ApusAFNetworking
internal import Testing

@Suite struct AFNetworkReachabilityStatusTests {
    @Test func hasTheRawValuesOfAFNetworking() {
        let numbers = AFNetworkReachabilityStatus.allCases.map(\.rawValue)
        #expect(numbers == [-1, 0, 1, 2])
        #expect(Set(AFNetworkReachabilityStatus.allCases.map(\.description)).count == 4)
    }
}
