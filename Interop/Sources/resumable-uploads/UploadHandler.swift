internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Writes an upload to a file, whichever number of requests it comes in.
///
/// A complete upload to `/NAME` is in the file `NAME.1`. A second one to the same path is in `NAME.2`, and so on, so
/// that a test can count them. Until it is complete, its name is a random one with the suffix `.part`.
final class UploadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private struct Upload {
        let path: String
        let part: String
        let file: FileHandle
    }

    private let folder: String
    private var upload: Upload?

    init(_ folder: String) {
        self.folder = folder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            upload = begin(request)
        case .body(let bytes):
            guard let file = upload?.file else { return }
            do {
                try bytes.withUnsafeReadableBytes { try file.write(contentsOf: $0) }
            } catch {
                upload = nil
            }
        case .end:
            let status = finish()
            context.write(wrapOutboundOut(.head(HTTPResponse(status: status))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private func begin(_ request: HTTPRequest) -> Upload? {
        let name = (request.path ?? "").dropFirst()
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        let part = "\(folder)/\(UUID().uuidString).part"
        guard isPlain, !name.isEmpty, FileManager.default.createFile(atPath: part, contents: nil),
            let file = FileHandle(forWritingAtPath: part)
        else { return nil }
        return Upload(path: "\(folder)/\(name)", part: part, file: file)
    }

    private func finish() -> HTTPResponse.Status {
        guard let upload else { return .badRequest }
        self.upload = nil
        do {
            try upload.file.close()
            var number = 1
            while FileManager.default.fileExists(atPath: "\(upload.path).\(number)") { number += 1 }
            try FileManager.default.moveItem(atPath: upload.part, toPath: "\(upload.path).\(number)")
            return .created
        } catch {
            return .internalServerError
        }
    }
}
