import Apus
import Foundation
import HTTPTypes

/// Accepts every body, including an empty one.
struct AnyBody: ResponseSerializer {
    func serialize(request: RequestMessage, response: HTTPResponse, data: Data) -> Data { data }
}

/// The API that sends a request. Tests run with each of them.
enum Form: String, CaseIterable, Sendable {
    case direct
    case handle
    case stream

    /// Sends the request in a new task. Cancelling the task cancels the request.
    func start(_ message: RequestMessage, on session: Session) -> Task<Result<Data, ApusError>, Never> {
        Task { await outcome(of: message, on: session) }
    }

    /// Sends the request and returns its result.
    func outcome(of message: RequestMessage, on session: Session) async -> Result<Data, ApusError> {
        do throws(ApusError) {
            switch self {
            case .direct:
                return .success(try await session.send(message).data)
            case .handle:
                return .success(try await session.request(message).serializingResponse(using: AnyBody()).value)
            case .stream:
                var data = Data()
                for try await chunk in try await session.stream(message).body { data.append(chunk) }
                return .success(data)
            }
        } catch {
            return .failure(error)
        }
    }
}
