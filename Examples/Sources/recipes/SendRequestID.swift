import Apus
import Foundation

/// Adds a field to every attempt of every request, and logs the status of its response.
func sendRequestID(to service: String) async throws {
    struct RequestIDMiddleware: Middleware {
        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            var request = request
            let id = UUID().uuidString
            try request.fields.set(checking: "X-Request-Id", id)
            let response = try await next(request, context: context)
            print(id, response.status)
            return response
        }
    }

    var configuration = Session.Configuration()
    configuration.middleware = [RequestIDMiddleware()]
    let session = Session(configuration: configuration)
    try await session.get("\(service)/get").validate()
    await session.shutdown(within: .seconds(5))
}
