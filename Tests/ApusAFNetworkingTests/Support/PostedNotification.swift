internal import ApusAFNetworking
internal import ApusCore
internal import Foundation

/// A notification about one object that a test waits for.
final class PostedNotification {
    typealias Info = [String: any Sendable]

    private let info = Deferred<Info>()
    private let observer: any NSObjectProtocol
    private let posted = Records<Info>()

    /// Waits for one about `object`.
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

    /// What stands in the first of them, as soon as there is one.
    var userInfo: Info {
        get async { await info.value }
    }

    /// How many came so far.
    var count: Int { posted.all.count }
}
