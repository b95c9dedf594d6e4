internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestSupport
internal import Foundation

/// A notification about one object, for which a test can wait.
final class PostedNotification {
    typealias Info = [String: any Sendable]

    private let info = Deferred<Info>()
    private let observer: any NSObjectProtocol
    private let posted = LockedList<Info>()

    /// Observes notifications about `object`.
    init(_ name: Notification.Name, about object: any AnyObject & Sendable) {
        let (info, posted) = (info, posted)
        observer = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { notification in
            let found = notification.userInfo as? Info ?? [:]
            posted.append(found)
            info.fulfill(found)
        }
    }

    deinit {
        NotificationCenter.default.removeObserver(observer)
    }

    /// The user info of the first notification. Waits until it is posted.
    var userInfo: Info {
        get async { await info.value }
    }

    /// The number of notifications so far.
    var count: Int { posted.all.count }
}
