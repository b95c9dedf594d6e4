internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes

/// What a serializer makes of an answer.
extension AFURLResponseSerialization {
    func answer(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        type: String? = nil
    ) -> AFSerializedResponse<ResponseObject> {
        answer(Data(text.utf8), status: status, type: type)
    }

    func answer(
        _ data: Data,
        status: HTTPResponse.Status = .ok,
        type: String? = nil
    ) -> AFSerializedResponse<ResponseObject> {
        var response = HTTPResponse(status: status)
        response.headerFields[.contentType] = type
        return responseObject(for: response, data: data)
    }
}
