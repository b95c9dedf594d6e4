internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The result of a task.
struct TaskOutcome: Sendable {
    var response: HTTPResponse?
    var data: Data?
    var object: (any Sendable)?
    var fileURL: URL?
    var metrics: RequestMetrics?
    var error: ApusError?
    var serializer: (any AFURLResponseSerialization)?

    /// The `userInfo` of the notification for a completed task.
    fileprivate var info: [String: any Sendable] {
        var info: [String: any Sendable] = [:]
        info[AFNetworkingKeys.responseSerializer] = serializer
        info[AFNetworkingKeys.serializedResponse] = object
        if let fileURL {
            info[AFNetworkingKeys.assetPath] = fileURL
        } else {
            info[AFNetworkingKeys.responseData] = data
        }
        info[AFNetworkingKeys.metrics] = metrics
        info[AFNetworkingKeys.error] = error
        return info
    }
}

/// The closures for the progress of a task.
struct ProgressBlocks: Sendable {
    var upload: HTTPSessionManager.ProgressBlock?
    var download: HTTPSessionManager.ProgressBlock?
}

extension ManagerCore {
    /// Creates a task that collects its response body in memory.
    func collectingTask<Serializer: AFURLResponseSerialization>(
        _ kind: SessionTask.Kind,
        _ request: RequestMessage,
        from source: some RequestConvertible,
        _ options: RequestOptions,
        _ serializer: Serializer,
        _ progress: ProgressBlocks,
        on queue: DispatchQueue?,
        _ completion: @escaping HTTPSessionManager.Completion<Serializer.ResponseObject>
    ) -> SessionTask {
        let end = { @Sendable (task: SessionTask, outcome: TaskOutcome, object: Serializer.ResponseObject?) in
            self.end(task, outcome, on: queue) { completion(task, outcome.response, object, outcome.error) }
        }
        let work = SessionTask.Work { task, session in
            let handle = session.request(source, options: self.options(options, of: task))
            return SessionTask.Begun(session: session, handle: handle) {
                self.listen(to: handle, task, progress)
                handle.response(queue: self.queue, responseSerializer: TaskSerializer(serializer)) { response in
                    let result = response.value
                    let error = result?.error?.with(exchanges: response.metrics.course) ?? response.error
                    let outcome = TaskOutcome(
                        response: response.response,
                        data: response.data,
                        object: result?.object,
                        metrics: response.metrics,
                        error: error,
                        serializer: serializer
                    )
                    end(task, outcome, result?.object)
                }
            }
        } fail: { task, error in
            self.queue.async { end(task, TaskOutcome(error: error, serializer: serializer), nil) }
        }
        return makeTask(kind, request, work)
    }

    /// Creates a task that saves its response body in a file.
    func downloadTask(
        _ request: RequestMessage,
        _ options: RequestOptions,
        _ progress: ProgressBlocks,
        to destination: HTTPSessionManager.Destination?,
        _ fileOptions: DownloadDestination.Options,
        on queue: DispatchQueue?,
        _ completion: @escaping HTTPSessionManager.Completion<URL>
    ) -> SessionTask {
        let serializer = responseSerializer
        let end = { @Sendable (task: SessionTask, outcome: TaskOutcome) in
            self.end(task, outcome, on: queue) { completion(task, outcome.response, outcome.fileURL, outcome.error) }
        }
        let work = SessionTask.Work { task, session in
            let place = self.destination(of: task, destination, fileOptions)
            let handle = session.download(request, to: place, options: self.options(options, of: task))
            handle.validate(by: serializer)
            return SessionTask.Begun(session: session, handle: handle) {
                self.listen(to: handle, task, progress)
                handle.response(queue: self.queue) { response in
                    let outcome = TaskOutcome(
                        response: response.response,
                        object: response.fileURL,
                        fileURL: response.fileURL,
                        metrics: response.metrics,
                        error: response.error,
                        serializer: serializer
                    )
                    end(task, outcome)
                }
            }
        } fail: { task, error in
            self.queue.async { end(task, TaskOutcome(error: error, serializer: serializer)) }
        }
        return makeTask(.download, request, work)
    }

    /// Returns the options of a task's request, with the task itself and the manager's redirect hook added.
    private func options(_ options: RequestOptions, of task: SessionTask) -> RequestOptions {
        var options = options
        let reference = task.reference
        reference.hold(task)
        options[TaskOption.self] = TaskOption(reference: reference)
        let own = options[Redirector.self] ?? task.originalRequest.options[Redirector.self]
        options[Redirector.self] = .modify { [self] request, response, context in
            if let hook = hooks.taskWillPerformHTTPRedirection, let task = reference.task {
                return hook(task, response, request)
            }
            let handler: (any RedirectHandler)? = own ?? context.environment.configuration.redirectHandler
            guard let handler else { return request }
            return try await handler.redirect(to: request, after: response, context: context)
        }
        return options
    }

    private func listen(to handle: some Request, _ task: SessionTask, _ blocks: ProgressBlocks) {
        handle.uploadProgress(queue: queue) { [self] progress in
            let change = task.note(progress, of: .upload)
            blocks.upload?(progress)
            hooks.taskDidSendBodyData?(task, change, progress.completed, progress.total)
        }
        handle.downloadProgress(queue: queue) { [self] progress in
            let change = task.note(progress, of: .download)
            blocks.download?(progress)
            if task.kind == .download {
                hooks.downloadTaskDidWriteData?(task, change, progress.completed, progress.total)
            }
        }
    }

    /// Returns the destination of a download: from the manager's block, else the task's, else a unique temporary file.
    private func destination(
        of task: SessionTask,
        _ destination: HTTPSessionManager.Destination?,
        _ options: DownloadDestination.Options
    ) -> DownloadDestination {
        DownloadDestination { [self] request, response in
            let name = SuggestedFileName.name(
                disposition: response.headerFields[.contentDisposition],
                path: request.target.path
            )
            let suggestion = URL.temporaryDirectory.appending(path: name, directoryHint: .notDirectory)
            if let url = hooks.downloadTaskDidFinishDownloading?(task, suggestion) { return (url, options) }
            if let destination { return (try destination(suggestion, response), options) }
            return (URL.temporaryDirectory.appending(path: "Apus_\(UUID().uuidString)"), options)
        }
    }

    /// Ends a task and calls its hooks, completion handler and notifications. Called on `queue`.
    private func end(
        _ task: SessionTask,
        _ outcome: TaskOutcome,
        on queue: DispatchQueue?,
        _ deliver: @escaping @Sendable () -> Void
    ) {
        let (isFirst, watch) = task.end(outcome.response, outcome.error)
        task.reference.release()
        guard isFirst else { return }
        remove(task)
        let hooks = hooks
        if let metrics = outcome.metrics { hooks.taskDidFinishCollectingMetrics?(task, metrics) }
        hooks.taskDidComplete?(task, outcome.error)
        if task.kind == .download { postFile(task, outcome) }
        complete(on: queue, watch) { [self] in
            deliver()
            post(.AFNetworkingTaskDidComplete, about: task, outcome.info)
        }
    }

    private func postFile(_ task: SessionTask, _ outcome: TaskOutcome) {
        if outcome.fileURL != nil {
            post(.AFURLSessionDownloadTaskDidMoveFileSuccessfully, about: task)
        } else if let error = outcome.error, [.fileUnwritable, .fileExists, .fileInUse].contains(error.code) {
            post(.AFURLSessionDownloadTaskDidFailToMoveFile, about: task, [AFNetworkingKeys.error: error])
        }
    }
}

extension DownloadRequest {
    /// Rejects unacceptable responses before the file is moved to its destination.
    fileprivate func validate(by serializer: any AFHTTPResponseSerialization) {
        // Checks the status before any byte is written. Without codes, replaces the default of downloads.
        if let codes = serializer.acceptableStatusCodes {
            validate(statusCode: codes)
        } else {
            validate(statusCode: 0..<1000)
        }
        validate { _, response, _ in
            serializer.refusal(of: response).map { .failure($0) } ?? .success(())
        }
    }
}

extension AFURLResponseSerialization {
    /// Returns the reason why a download is rejected, based on its head alone, or `nil` if it is accepted.
    fileprivate func refusal(of response: HTTPResponse) -> ApusError? {
        responseObject(for: response, data: Data()).error
    }
}

/// Adapts an AFNetworking response serializer to the session. It never throws.
private struct TaskSerializer<Serializer: AFURLResponseSerialization>: ResponseSerializer {
    private let serializer: Serializer

    init(_ serializer: Serializer) {
        self.serializer = serializer
    }

    func serialize(
        request: RequestMessage,
        response: HTTPResponse,
        data: Data
    ) throws -> AFSerializedResponse<Serializer.ResponseObject> {
        let result = serializer.responseObject(for: response, data: data)
        let error = result.error?.about(method: request.method, target: request.target)
            .with(response: response, data: data)
        return AFSerializedResponse(result.object, error: error)
    }
}
