package import ApusCore
internal import Crypto
package import Foundation

/// Learns whether certificates are revoked, and keeps the answers of responders.
///
/// An answer is kept until its end, a failure and an answer without an end for 30 s. At most 1,000 are kept. Beyond
/// that, the one that ends first is removed. Callers that ask for the same certificate at the same time share one
/// request. It ends within its time limit, even if no caller waits for it any more, and its answer is kept.
package final class RevocationChecker: Sendable {
    private struct Key: Hashable {
        let certificate: [UInt8]
        let issuer: [UInt8]
        let source: Source

        /// The key of the answer that an authority has signed.
        var signed: Key { Key(certificate: certificate, issuer: issuer, source: .authority) }
    }

    /// The source of an answer.
    private enum Source: Hashable {
        /// The authority has signed it, so it holds whatever the guard.
        case authority
        /// A request under way, or a failure. A guard may refuse a responder that another one allows.
        case request(AddressGuard?)
    }

    private struct Kept {
        let status: RevocationStatus
        let end: Date
    }

    private struct State {
        var kept: [Key: Kept] = [:]
        /// The callers that wait for each request under way.
        var waiters: [Key: [ObjectIdentifier: Deferred<RevocationStatus>]] = [:]
    }

    /// The next step of a caller.
    private enum Step {
        case take(RevocationStatus)
        case wait
        case begin
        case refuse
    }

    private let fetcher: any RevocationFetcher
    private let now: @Sendable () -> Date
    private let state = Lock(State())

    /// Creates a checker.
    ///
    /// - Parameters:
    ///   - fetcher: Sends the requests.
    ///   - now: The clock. Default: that of the system.
    package init(fetcher: any RevocationFetcher, now: @escaping @Sendable () -> Date = { Date() }) {
        self.fetcher = fetcher
        self.now = now
    }

    /// Returns the status of a certificate. Returns at once if the waiting task is cancelled.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - issuer: The certificate of its authority, which has signed it.
    ///   - addressGuard: Decides which addresses of responders may be connected to. `nil` for all.
    ///   - usesNetwork: Whether a responder is asked if no answer is kept.
    /// - Returns: The status.
    package func status(
        of certificate: ParsedCertificate,
        issuer: ParsedCertificate,
        addressGuard: AddressGuard?,
        usesNetwork: Bool
    ) async -> RevocationStatus {
        guard let responder = certificate.responder else { return .noResponder }
        let key = Key(
            certificate: Array(SHA256.hash(data: certificate.derBytes)),
            issuer: Array(SHA256.hash(data: issuer.derBytes)),
            source: .request(addressGuard)
        )
        let waiter = Deferred<RevocationStatus>()
        switch step(of: waiter, key, usesNetwork: usesNetwork) {
        case .take(let status): return status
        case .refuse: return .unknown("no answer of \(responder.authority) is kept, and the network is not used")
        case .wait: break
        case .begin:
            // Detached, since the request outlives the task that began it.
            Task.detached { [self] in
                end(key, await answer(about: certificate, issuer: issuer, from: responder, addressGuard))
            }
        }
        return await withTaskCancellationHandler {
            await waiter.value
        } onCancel: {
            state.withLock { $0.waiters[key]?[ObjectIdentifier(waiter)] = nil }
            waiter.fulfill(.unknown("the request was cancelled"))
        }
    }

    private func step(of waiter: Deferred<RevocationStatus>, _ key: Key, usesNetwork: Bool) -> Step {
        let now = now()
        return state.withLock { state -> Step in
            for key in [key.signed, key] {
                guard let kept = state.kept[key] else { continue }
                if now < kept.end { return .take(kept.status) }
                state.kept[key] = nil
            }
            guard usesNetwork else { return .refuse }
            let isUnderWay = state.waiters[key] != nil
            state.waiters[key, default: [:]][ObjectIdentifier(waiter)] = waiter
            return isUnderWay ? .wait : .begin
        }
    }

    private func end(_ key: Key, _ answer: Kept) {
        let waiters = state.withLock { state -> [Deferred<RevocationStatus>] in
            if state.kept.count >= RevocationLimits.keptAnswers,
                let first = state.kept.min(by: { $0.value.end < $1.value.end })
            {
                state.kept[first.key] = nil
            }
            state.kept[answer.status.isSigned ? key.signed : key] = answer
            return state.waiters.removeValue(forKey: key).map { Array($0.values) } ?? []
        }
        for waiter in waiters { waiter.fulfill(answer.status) }
    }

    private func answer(
        about certificate: ParsedCertificate,
        issuer: ParsedCertificate,
        from responder: TargetURI,
        _ addressGuard: AddressGuard?
    ) async -> Kept {
        let identifier: OCSPCertificateID
        do throws(CertificateRejection) {
            identifier = try OCSPCertificateID(of: certificate, issuer: issuer)
        } catch {
            return failure("the key of its authority can't be read")
        }
        let bytes: [UInt8]
        do throws(ApusError) {
            bytes = try await fetcher.response(
                to: identifier.request(),
                from: responder,
                addressGuard: addressGuard
            )
        } catch {
            return failure("the responder \(responder.authority) can't be asked: \(error.detail)")
        }
        guard bytes.count <= RevocationLimits.responseBytes else {
            return failure("the response of \(responder.authority) is too large")
        }
        let now = now()
        do throws(CertificateRejection) {
            let verdict = try OCSPChecks.verdict(of: bytes, about: identifier, issuer: issuer, at: now)
            return Kept(
                status: verdict.status,
                end: min(
                    verdict.end ?? now.addingTimeInterval(RevocationLimits.failureTime),
                    now.addingTimeInterval(RevocationLimits.longestTime)
                )
            )
        } catch {
            switch error {
            case .revocationUnknown(let text): return failure("the responder \(responder.authority) \(text)")
            default: return failure("the response of \(responder.authority) can't be read")
            }
        }
    }

    private func failure(_ text: String) -> Kept {
        Kept(status: .unknown(text), end: now().addingTimeInterval(RevocationLimits.failureTime))
    }
}
