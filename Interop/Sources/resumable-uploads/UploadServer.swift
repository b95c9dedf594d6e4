internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1
internal import NIOPosix
internal import NIOResumableUpload

/// A server of resumable uploads, with the implementation of swift-nio-extras.
///
/// The `Location` of an upload resource is a path without an origin, so that a relay can stand before the server.
enum UploadServer {
    /// Serves until the process is ended. Blocks.
    static func run(port: Int, folder: String) throws {
        let context = HTTPResumableUploadContext(origin: "")
        let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    let uploads = HTTPResumableUploadHandler(context: context) { channel in
                        _ = try? channel.pipeline.syncOperations.addHandler(UploadHandler(folder))
                    }
                    try pipeline.addHandler(uploads)
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .wait()
        try server.closeFuture.wait()
    }
}
