import Apus
import Foundation
import HTTPTypes

/// Takes every content, an empty one too.
struct AnyContent: ResponseSerializer {
    func serialize(request: RequestMessage, response: HTTPResponse, data: Data) -> Data { data }
}

/// The ways in which a request can be made. What is true of one has to be true of all.
enum Form: String, CaseIterable, Sendable {
    case direct
    case handle
    case stream

    /// Makes the request in a task of its own; cancelling the task gives the request up.
    func start(_ message: RequestMessage, on session: Session) -> Task<Result<Data, ApusError>, Never> {
        Task { await outcome(of: message, on: session) }
    }

    /// What comes of the request.
    func outcome(of message: RequestMessage, on session: Session) async -> Result<Data, ApusError> {
        do throws(ApusError) {
            switch self {
            case .direct:
                return .success(try await session.send(message).data)
            case .handle:
                return .success(try await session.request(message).serializingResponse(using: AnyContent()).value)
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
