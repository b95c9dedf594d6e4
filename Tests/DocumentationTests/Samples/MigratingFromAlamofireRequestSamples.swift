internal import Apus
internal import Foundation
internal import HTTPTypes

/// The rows of MigratingFromAlamofire.md on the settings, the fields and the monitors of one request, and on resumed
/// downloads.
enum MigratingFromAlamofireRequestSamples {
    private enum Router: RequestConvertible {
        case user(id: Int)

        func asRequest() throws -> RequestMessage {
            switch self {
            case .user(let id): try RequestMessage("https://api.example.org/users/\(id)")
            }
        }
    }

    static func monitors(_ request: DataRequest) {
        request.onRequestCreation { print($0) }
        request.onHTTPResponse { print($0.status) }
        request.onHTTPResponse { $0.status == .ok ? .allow : .cancel }
        request.eventMonitor(using: LogMonitor(.lines))
        print(request.isFinished)
    }

    static func fields() throws {
        let tagged: RequestFields = ["X-Request-Tag": "blue", .accept: "text/plain"]
        let listed: RequestFields = [.authorization(username: "ada", password: "secret"), .accept("text/plain")]
        var fields = try tagged.checked()
        fields.sortByName()
        print(fields, listed, try HTTPField.contentDisposition("attachment"))
    }

    static func streams(_ session: Session) async throws {
        let url = "https://api.example.org/users"
        let response = try await session.stream(url, options: [ResponseValidation.success])
        for try await line in response.body.lines { print(line) }
    }

    static func transfers(_ session: Session, _ data: Data, _ fileURL: URL) {
        let stream = InputStream(data: data)
        let url = "https://api.example.org/users"
        let parameters = ["name": "Ada"]
        let requests: [any Request] = [
            session.upload(data, with: Router.user(id: 1)),
            session.upload(.inputStream { InputStream(url: fileURL) }, to: url),
            session.upload(.inputStream(stream), to: url),
            session.download(url, parameters: parameters, to: .temporary),
        ]
        for request in requests { request.cancel() }
    }

    static func resumed(_ session: Session, _ data: Data, _ fileURL: URL, _ download: DownloadRequest) {
        let options: DownloadDestination.Options = [.removePreviousFile]
        let requests = [
            session.download(resumingWith: data),
            session.download(resumingWith: data, to: .file(fileURL, options: options)),
            session.download("https://example.org/archive.zip", to: .file(fileURL, options: .resumePartialFile)),
        ]
        for request in requests { request.cancel() }
        download.cancel(byProducingResumeData: { data in print(data?.count ?? 0) })
        download.cancel(producingResumeData: true)
        print(download.resumeData?.count ?? 0)
    }
}
