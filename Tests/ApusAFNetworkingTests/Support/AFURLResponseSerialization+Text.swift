internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes

/// Passes a response to a serializer.
extension AFURLResponseSerialization {
    func serialize(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        type: String? = nil
    ) -> AFSerializedResponse<ResponseObject> {
        serialize(Data(text.utf8), status: status, type: type)
    }

    func serialize(
        _ data: Data,
        status: HTTPResponse.Status = .ok,
        type: String? = nil
    ) -> AFSerializedResponse<ResponseObject> {
        var response = HTTPResponse(status: status)
        response.headerFields[.contentType] = type
        return responseObject(for: response, data: data)
    }
}
