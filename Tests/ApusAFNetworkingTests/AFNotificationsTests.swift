internal import ApusAFNetworking
internal import Foundation
internal import Testing

@Suite struct AFNotificationsTests {
    /// Parity: AFN-notification-task
    @Test func haveDistinctNames() {
        let names: Set<Notification.Name> = [
            .AFNetworkingTaskDidResume, .AFNetworkingTaskDidSuspend, .AFNetworkingTaskDidComplete,
            .AFURLSessionDidInvalidate,
        ]
        #expect(names.count == 4)
    }
}
