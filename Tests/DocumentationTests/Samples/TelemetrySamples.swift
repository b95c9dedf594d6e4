internal import Apus
internal import ApusMetrics
internal import ApusTracing
internal import Dispatch
internal import Foundation
internal import Testing

/// The code of the documentation comments about monitors, metrics and traces.
@Suite(.timeLimit(.minutes(5)))
struct TelemetrySamples {
    @Test func metrics() {
        var configuration = Session.Configuration()
        configuration.eventMonitors.append(MetricsMonitor())
        let session = Session(configuration: configuration)
        #expect(session.configuration.eventMonitors.count == 1)
    }

    @Test func traces() async throws {
        var configuration = Session.Configuration()
        configuration.trace()
        let session = Session(configuration: configuration)
        #expect(session.configuration.middleware.isEmpty)
    }

    @Test func composites() async throws {
        let watchers = CompositeEventMonitor(monitors: [NotificationMonitor(), ClosureEventMonitor { print($0, $1) }])
        var configuration = Session.Configuration()
        configuration.eventMonitors = [watchers]
        #expect(watchers.monitors.count == 2)
    }

    @Test func closures() {
        var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
        monitor.requestDidResume = { request in print("Resuming: \(request)") }
        monitor.requestDidComplete = { request, response in print("\(request): \(response)") }
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        #expect(configuration.eventMonitors.count == 1)
    }

    @Test func notifications() {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [NotificationMonitor()]
        let name = RequestEvent.didFinishNotification
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
            print("request \(notification.requestID?.description ?? "") is over")
        }
        NotificationCenter.default.removeObserver(token)
    }
}
