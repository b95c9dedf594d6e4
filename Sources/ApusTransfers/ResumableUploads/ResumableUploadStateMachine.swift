internal import ApusCore
internal import HTTPTypes

/// Decides how a resumable upload goes on after each response and each interruption. It has no sockets, tasks or
/// clocks.
///
///     create ─→ over
///       │ interrupted, or only a part was created
///       ↓
///     retrieve offset ─→ append ─→ over
///             ↑            │ interrupted, or a part was appended
///             └────────────┘
///
/// The first request is an ordinary upload with two more fields, so a server without support answers it as always. A
/// server with support announces an upload resource in an interim response, 104. From then on an interruption is no
/// end: the offset is retrieved from the resource, and the rest is appended there.
///
/// See https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
struct ResumableUploadStateMachine: Sendable {
    /// A request of the upload.
    enum Step: Hashable, Sendable {
        /// Sends the first bytes to the target of the upload. `isLast`: they are all of them.
        case create(length: Int64, isLast: Bool)
        /// Asks the upload resource for the number of bytes that the server has.
        case retrieveOffset
        /// Sends these bytes to the upload resource. `isLast`: they complete the upload.
        case append(Range<Int64>, isLast: Bool)
    }

    enum Action: Hashable, Sendable {
        /// Sends a request, after a pause if it follows that number of attempts without progress.
        case send(Step, pause: Int?)
        /// The last response, or the rejection of it by a validator, is the outcome.
        case finish
        /// The upload fails. `discards`: the server is asked to remove the upload resource.
        case fail(UploadFault, discards: Bool)
    }

    /// A final response.
    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let fields: HTTPFields
        /// The target of the response: after redirects, the last one.
        let target: TargetURI
        /// The origin that the request was sent to before any redirect. Upload resources must be there.
        let origin: Origin
    }

    enum Failure: Hashable, Sendable {
        /// The network or the server has interrupted the request. `isUnsent`: the server got no byte of it.
        case interruption(isUnsent: Bool)
        /// The request was cancelled, or it can't be sent.
        case other
    }

    struct Rules: Hashable, Sendable {
        /// The length of the upload in bytes.
        let length: Int64
        /// The version of the draft.
        let version: ResumableUpload.InteropVersion
        /// The maximum number of retries without progress, and of new beginnings.
        let retryLimit: Int
        /// Whether the upload may begin anew although the server may have processed it.
        let mayBeginAnew: Bool
    }

    /// The maximum number of redirects between two offsets.
    static let redirectLimit = 10

    let rules: Rules
    /// The upload resource, once the server has announced it.
    private(set) var resource: TargetURI?
    /// The number of bytes that the server has confirmed.
    private(set) var acknowledged: Int64 = 0
    private(set) var limits = UploadLimits()
    /// The number of lifetimes of the upload resource that the server has announced.
    private(set) var lifetimeCount = 0
    /// The fault that an interim response has shown. The request is pointless from then on.
    private(set) var violation: UploadFault?

    private var step: Step
    /// The reason why an announced upload resource can't be used.
    private var resourceFault: String?
    /// Whether another program has created the upload resource.
    private let isContinuation: Bool
    /// The number of attempts since the last progress.
    private var fruitlessCount = 0
    private var beginningCount = 0
    private var redirectCount = 0

    /// Creates the machine of a new upload.
    init(_ rules: Rules) {
        self.rules = rules
        self.step = .create(length: rules.length, isLast: true)
        self.isContinuation = false
    }

    /// Creates the machine of an upload that has begun before.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - resource: The upload resource.
    ///   - acknowledged: The number of bytes that the server has confirmed.
    init(_ rules: Rules, continuingAt resource: TargetURI, from acknowledged: Int64) {
        self.rules = rules
        self.resource = resource
        self.acknowledged = acknowledged
        self.step = .retrieveOffset
        self.isContinuation = true
    }

    /// Returns the first action.
    var beginning: Action { .send(step, pause: nil) }

    // MARK: Events

    /// Takes an interim response with the status 104. One of another version of the draft is ignored.
    ///
    /// - Parameters:
    ///   - fields: Its fields.
    ///   - target: The target that it came from.
    ///   - origin: The origin that the request was sent to before any redirect.
    mutating func note(_ fields: HTTPFields, from target: TargetURI, of origin: Origin) {
        guard UploadFields.version(in: fields) == Int64(rules.version.rawValue) else { return }
        if case .create = step, fields.contains(.location) { adopt(fields, from: target, of: origin) }
        noteLimits(fields)
        if let offset = UploadFields.offset(in: fields), let fault = acknowledge(offset) { violation = fault }
    }

    /// Takes a final response.
    mutating func receive(_ answer: Answer) -> Action {
        noteLimits(answer.fields)
        switch step {
        case .create(let length, let isLast): return afterCreating(length, isLast, answer)
        case .retrieveOffset: return afterRetrieving(answer)
        case .append(let range, let isLast): return afterAppending(range, isLast, answer)
        }
    }

    /// Takes the failure of a request that has no final response.
    mutating func receive(_ failure: Failure) -> Action {
        if let violation { return fail(violation) }
        guard case .interruption(let isUnsent) = failure else { return fail(.last) }
        guard resource != nil || isUnsent || rules.mayBeginAnew else {
            return fail(resourceFault.map { UploadFault.contradiction($0) } ?? .last)
        }
        return afterInterruption(orElse: fail(.last))
    }

    // MARK: Responses

    private mutating func afterCreating(_ length: Int64, _ isLast: Bool, _ answer: Answer) -> Action {
        let isComplete = UploadFields.isComplete(in: answer.fields)
        guard answer.status.kind == .successful else {
            guard isComplete != true else { return .finish }
            if answer.status.code == 413, let action = afterTooLarge(length) { return action }
            guard Self.isTransient(answer.status), resource != nil || rules.mayBeginAnew else { return .finish }
            return afterInterruption(orElse: .finish)
        }
        if isLast, confirmsAll(answer) { return .finish }
        if resource == nil, answer.fields.contains(.location) {
            adopt(answer.fields, from: answer.target, of: answer.origin)
        }
        guard resource != nil else {
            // The server does not support resumable uploads after all.
            if isLast { return .finish }
            return fail(.contradiction(resourceFault ?? "the response to the first part names no upload resource"))
        }
        if isLast { return afterInterruption(orElse: fail(.contradiction(Self.incomplete))) }
        return afterPart(0..<length, answer)
    }

    private mutating func afterRetrieving(_ answer: Answer) -> Action {
        switch answer.status.code {
        case 200...299:
            redirectCount = 0
            guard let offset = UploadFields.offset(in: answer.fields) else {
                return fail(.contradiction("the response has no valid Upload-Offset"))
            }
            if let total = UploadFields.length(in: answer.fields), total != rules.length {
                return fail(.contradiction("the upload has \(rules.length) bytes, but the server expects \(total)"))
            }
            if let fault = acknowledge(offset) { return fail(fault) }
            guard UploadFields.isComplete(in: answer.fields) == true else { return append() }
            guard offset == rules.length else {
                return fail(
                    .contradiction("the upload is complete with \(offset) bytes, but has \(rules.length)")
                )
            }
            return .finish
        case 307, 308: return afterRedirect(answer, to: .retrieveOffset)
        case 404, 410: return afterLoss()
        case _ where Self.isTransient(answer.status): return afterInterruption(orElse: fail(.refused))
        default: return fail(.refused)
        }
    }

    private mutating func afterAppending(_ range: Range<Int64>, _ isLast: Bool, _ answer: Answer) -> Action {
        let isComplete = UploadFields.isComplete(in: answer.fields)
        if isLast, isComplete == true { return .finish }
        switch answer.status.code {
        case 200...299:
            redirectCount = 0
            guard isLast else { return afterPart(range, answer) }
            if confirmsAll(answer) { return .finish }
            return afterInterruption(orElse: fail(.contradiction(Self.incomplete)))
        case 307, 308: return afterRedirect(answer, to: .append(range, isLast: isLast))
        // The offset is another one.
        case 409: return afterInterruption(orElse: fail(.refused))
        case 413: return afterTooLarge(range.upperBound - range.lowerBound) ?? fail(.refused)
        case 404, 410: return afterLoss()
        case _ where Self.isTransient(answer.status): return afterInterruption(orElse: fail(.refused))
        default:
            // Servers of version 6 need not mark the response of the target, which has processed the whole upload.
            return isLast && isComplete == nil && rules.version == .v6 ? .finish : fail(.refused)
        }
    }

    private static let incomplete = "the server got all bytes, but does not complete the upload"

    /// Whether a successful response to the last byte means that the server has the whole upload.
    private func confirmsAll(_ answer: Answer) -> Bool {
        switch UploadFields.isComplete(in: answer.fields) {
        case true?: true
        case false?: false
        case nil: UploadFields.offset(in: answer.fields).map { $0 == rules.length } ?? true
        }
    }

    /// Continues after a successful response to a part that is not the last one.
    private mutating func afterPart(_ range: Range<Int64>, _ answer: Answer) -> Action {
        guard UploadFields.isComplete(in: answer.fields) != true else {
            return fail(.contradiction("the upload is complete although it has further bytes"))
        }
        let offset = UploadFields.offset(in: answer.fields) ?? range.upperBound
        if let fault = acknowledge(offset) { return fail(fault) }
        // A server that takes no byte of a part must not be asked forever.
        guard offset > range.lowerBound else { return afterInterruption(orElse: fail(.refused)) }
        return append()
    }

    /// Continues with smaller parts. Returns `nil` if the server has not sent a limit below the rejected length.
    private mutating func afterTooLarge(_ length: Int64) -> Action? {
        guard let most = limits.maximumAppendSize, most > 0, most < length else { return nil }
        fruitlessCount += 1
        guard fruitlessCount <= rules.retryLimit else { return nil }
        guard resource == nil else { return send(.retrieveOffset) }
        // As in `afterInterruption`: a server that lowers its limit each time must not get the upload forever.
        beginningCount += 1
        guard beginningCount <= rules.retryLimit else { return nil }
        return begin(pause: nil)
    }

    private mutating func afterRedirect(_ answer: Answer, to step: Step) -> Action {
        redirectCount += 1
        guard redirectCount <= Self.redirectLimit else {
            return fail(.contradiction("there were more than \(Self.redirectLimit) redirects of the upload resource"))
        }
        do throws(ResourceFault) {
            resource = try found(in: answer.fields, from: answer.target, of: resource?.origin ?? answer.origin)
        } catch {
            return fail(.contradiction(error.text))
        }
        return send(step)
    }

    /// Continues after the server has lost the upload, or has removed it when it was complete.
    private mutating func afterLoss() -> Action {
        guard rules.mayBeginAnew, !isContinuation else { return fail(.lost) }
        resource = nil
        return afterInterruption(orElse: fail(.lost))
    }

    /// Continues at the upload resource, or from the first byte if there is none. `fallback`: the action after too many
    /// attempts without progress.
    private mutating func afterInterruption(orElse fallback: Action) -> Action {
        fruitlessCount += 1
        guard fruitlessCount <= rules.retryLimit else { return fallback }
        if resource != nil { return send(.retrieveOffset, pause: fruitlessCount) }
        // Progress does not reset this count: a server that loses each upload must not get it forever.
        beginningCount += 1
        guard beginningCount <= rules.retryLimit else { return fallback }
        return begin(pause: fruitlessCount)
    }

    // MARK: Requests

    /// Begins the upload anew.
    private mutating func begin(pause: Int?) -> Action {
        resource = nil
        resourceFault = nil
        acknowledged = 0
        var count = rules.length
        if let most = limits.maximumAppendSize, most > 0 { count = min(count, most) }
        if let fault = faultOfPart(count) { return fail(fault) }
        return send(.create(length: count, isLast: count == rules.length), pause: pause)
    }

    /// Appends the bytes after the confirmed ones, as many as the server allows.
    private mutating func append() -> Action {
        let rest = rules.length - acknowledged
        let count = min(rest, limits.maximumAppendSize ?? rest)
        if let fault = faultOfPart(count) { return fail(fault) }
        return send(.append(acknowledged..<acknowledged + count, isLast: count == rest))
    }

    /// Returns the reason why a part must not be sent, if there is one. A part that completes the upload may be short.
    private func faultOfPart(_ count: Int64) -> UploadFault? {
        let rest = rules.length - acknowledged
        guard count < rest else { return nil }
        guard count > 0 else { return .limit("the server accepts no bytes in one request") }
        guard let least = limits.minimumAppendSize, count < least else { return nil }
        return .limit("the server accepts at most \(count) bytes in one request, and at least \(least)")
    }

    private mutating func send(_ step: Step, pause: Int? = nil) -> Action {
        if let violation { return fail(violation) }
        self.step = step
        return .send(step, pause: pause)
    }

    /// Fails. An upload resource that this upload has created, and that it can't use, is removed.
    private func fail(_ fault: UploadFault) -> Action {
        .fail(fault, discards: resource != nil && !isContinuation && fault.isOfUpload)
    }

    // MARK: Facts

    /// Records the number of bytes that the server has. Returns the fault of a number that can't be right.
    private mutating func acknowledge(_ offset: Int64) -> UploadFault? {
        guard offset <= rules.length else {
            return .contradiction("the server has \(offset) bytes of an upload that has only \(rules.length)")
        }
        guard offset >= acknowledged else {
            return .contradiction("the server has only \(offset) bytes, after it has confirmed \(acknowledged)")
        }
        if offset > acknowledged { fruitlessCount = 0 }
        acknowledged = offset
        return nil
    }

    private mutating func noteLimits(_ fields: HTTPFields) {
        guard let found = UploadFields.limits(in: fields) else { return }
        limits.merge(found)
        if found.lifetime != nil { lifetimeCount += 1 }
        guard let most = limits.maximumSize, most < rules.length else { return }
        violation = .limit("the upload has \(rules.length) bytes, but the server accepts at most \(most)")
    }

    private mutating func adopt(_ fields: HTTPFields, from target: TargetURI, of origin: Origin) {
        guard resourceFault == nil else { return }
        do throws(ResourceFault) {
            let found = try found(in: fields, from: target, of: origin)
            guard resource == nil || resource == found else { throw ResourceFault("it has two upload resources") }
            resource = found
        } catch {
            resource = nil
            resourceFault = "the upload can't be resumed: \(error.text)"
        }
    }

    private struct ResourceFault: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    /// Returns the upload resource that the `Location` of a response names.
    ///
    /// The session adds credentials to its requests, so the resource must be on the origin that the request was made
    /// for. Only that origin can name it: after a redirect, another one could name any resource there, which would get
    /// a PATCH or a DELETE.
    ///
    /// Only the path counts: user information in a `Location` is ignored, that of the request stays.
    private func found(
        in fields: HTTPFields,
        from target: TargetURI,
        of origin: Origin
    ) throws(ResourceFault) -> TargetURI {
        let locations = Set(fields[values: .location])
        guard locations.count == 1, let location = locations.first, let found = try? target.resolving(location) else {
            throw ResourceFault("the Location of its upload resource is missing or invalid")
        }
        guard found.origin == origin else {
            throw ResourceFault("its upload resource is on \(Self.shown(found.origin)), and not on \(origin)")
        }
        guard target.origin == origin else {
            throw ResourceFault("its upload resource is named by \(Self.shown(target.origin)), and not by \(origin)")
        }
        return TargetURI(origin: origin, path: found.path, userInformation: target.userInformation)
    }

    /// The maximum number of characters shown of the server's text.
    private static let shownLength = 200

    private static func shown(_ origin: Origin) -> String { String("\(origin)".prefix(shownLength)) }

    /// Whether a later attempt may succeed: the server was overloaded, had an error, or was too slow to read.
    private static func isTransient(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 408, 425, 429: true
        case 501, 505: false
        case 500...599: true
        default: false
        }
    }
}
