import Apus
import Foundation

/// Uploads a multipart form with a text part and a file part.
func uploadForm(to service: String) async throws {
    struct Echo: Decodable, Sendable {
        let form: [String: String]
        let files: [String: String]
    }

    var form = MultipartFormData()
    form.append("Ada", withName: "name")
    try form.append(Data("hello".utf8), withName: "note", fileName: "note.txt", mimeType: "text/plain")
    let session = Session()
    let echo = try await session.upload(multipartFormData: form, to: "\(service)/post")
        .validate()
        .serializingDecodable(Echo.self)
        .value
    print(echo.form["name"] ?? "", echo.files["note"] ?? "")
    await session.shutdown(within: .seconds(5))
}
