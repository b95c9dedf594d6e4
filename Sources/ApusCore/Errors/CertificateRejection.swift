internal import ApusJSON
public import Foundation

/// The reason why the certificate of a server was rejected: the `underlying` error of `certificateRejected`.
///
/// ```swift
/// do {
///     try await session.get("https://api.example.org/users/1").validate()
/// } catch {
///     if case .expired(let date)? = error.underlying as? CertificateRejection {
///         print("The certificate expired on \(date).")
///     }
/// }
/// ```
///
/// If several reasons apply, it is the first of them in the order of the cases. If several chains are possible, it is
/// the reason of the one that gets closest to a root. A minor version may add cases, so a `switch` needs a `default`.
///
/// See RFC 5280 §6.1, https://www.rfc-editor.org/rfc/rfc5280.html#section-6.1
public enum CertificateRejection: Error, Sendable, Hashable {
    /// Its period of validity ended at this time.
    case expired(on: Date)
    /// Its period of validity begins at this time. The clock of this machine may be wrong.
    case notYetValid(from: Date)
    /// It was issued for itself, and is not among `trust.roots`.
    case selfSigned
    /// No chain of valid certificates leads from it to one of `trust.roots`: its authority is not among them, or the
    /// server does not send a certificate between the two, or such a certificate is not valid. `issuer` is the name of
    /// the authority that issued it, or `nil` if it has none.
    case untrustedAuthority(issuer: String?)
    /// It belongs to other hosts. `names` has their names, with wildcards, and their addresses.
    case wrongHost(names: [String])
    /// It is not meant for servers: its extended key usage lacks `serverAuth`, RFC 5280 §4.2.1.12, or its key usage
    /// allows no handshake, §4.2.1.3.
    case notForServers
    /// Its signature was not made with the key of the authority that it names.
    case invalidSignature(issuer: String)
    /// Its signature or its key can be forged: an algorithm with MD5 or SHA-1, or a short key. The text names it.
    case weak(String)
    /// It has a critical extension that this library does not know, with this identifier. RFC 5280 §4.2.
    case unknownCriticalExtension(String)
    /// An authority of its chain may not certify this name, RFC 5280 §4.2.1.10.
    case nameNotPermitted(String)
    /// It signs others, but is not allowed to: it is no authority, or its key usage excludes it. RFC 5280 §4.2.1.9.
    case notAnAuthority
    /// An authority of its chain allows fewer authorities below it, RFC 5280 §4.2.1.9, or the chain has more than 10
    /// certificates.
    case chainTooLong
    /// It can't be read as a certificate. The text says why.
    case malformed(String)
    /// No certificate of its chain is pinned, or has a pinned public key. `hashes` has the pins of the chain, as
    /// `sha256//…` in Base64.
    case notPinned(hashes: [String])
    /// Its authority has revoked it, at this time.
    case revoked(on: Date)
    /// Whether it is revoked could not be learned. The text says why.
    case revocationUnknown(String)
    /// The host has no evaluator, and the session's `ServerTrustManager` requires one.
    case noEvaluator
    /// The same for an authority in its chain, with the name of its subject.
    indirect case authority(subject: String, CertificateRejection)
    /// Any other reason, in the words of the evaluator or of the TLS library.
    case other(String)

    /// Makes the reason for a certificate outside its period of validity. Returns `nil` for one inside it.
    ///
    /// - Parameters:
    ///   - begin: The begin of its period, in seconds since 1970.
    ///   - end: The end of its period, in seconds since 1970.
    ///   - now: The current time. Default: that of the system.
    package init?(validFrom begin: Int, to end: Int, now: Date = Date()) {
        let begin = Date(timeIntervalSince1970: Double(begin))
        let end = Date(timeIntervalSince1970: Double(end))
        if end < now {
            self = .expired(on: end)
        } else if begin > now {
            self = .notYetValid(from: begin)
        } else {
            return nil
        }
    }
}

extension CertificateRejection: CustomStringConvertible {
    /// The reason as a sentence.
    public var description: String { description(for: nil) }

    /// The maximum number of names that are shown of a certificate.
    private static let shownNames = 5

    /// Returns the reason as a sentence, with the host that the certificate should belong to.
    package func description(for host: String?) -> String {
        switch self {
        case .expired(let date): return "it expired on \(Self.time(of: date))"
        case .notYetValid(let date): return "it is valid only from \(Self.time(of: date)) on"
        case .selfSigned: return "it is self-signed"
        case .untrustedAuthority(let issuer):
            let name = issuer.map { " \(Excerpt.quoted($0))" } ?? ""
            return "its issuer\(name) is neither a trusted authority nor certified by one"
        case .wrongHost(let names):
            let others = names.count > Self.shownNames ? " and \(names.count - Self.shownNames) others" : ""
            let list = names.prefix(Self.shownNames).map { Excerpt.of($0) }.joined(separator: ", ") + others
            switch (host, names.isEmpty) {
            case (let host?, true): return "it is not valid for \(host), and names no host"
            case (let host?, false): return "it is not valid for \(host), but for \(list)"
            case (nil, true): return "it names no host"
            case (nil, false): return "it is valid only for \(list)"
            }
        case .notForServers: return "it is not meant for servers: its key usage or extended key usage excludes them"
        case .invalidSignature(let issuer):
            return "its signature was not made with the key of its issuer '\(Self.shown(issuer))'"
        case .weak(let text): return "it has \(Self.shown(text)), which can be forged"
        case .unknownCriticalExtension(let identifier):
            return "it has a critical extension that is not supported: \(Excerpt.of(identifier))"
        case .nameNotPermitted(let name):
            return "an authority of its chain may not certify the name '\(Self.shown(name))'"
        case .notAnAuthority: return "it has issued another certificate, but may not: it is no authority"
        case .chainTooLong:
            return "its chain has more than 10 certificates, or more authorities than one of them allows"
        case .malformed(let text): return "it can't be read as a certificate: \(Self.shown(text))"
        case .notPinned(let hashes):
            let others = hashes.count > Self.shownNames ? " and \(hashes.count - Self.shownNames) others" : ""
            let list = hashes.prefix(Self.shownNames).map { Self.shown($0) }.joined(separator: ", ") + others
            return hashes.isEmpty ? "it is not pinned" : "its chain has no pinned key, but the keys \(list)"
        case .revoked(let date): return "its authority revoked it on \(Self.time(of: date))"
        case .revocationUnknown(let text): return "it may have been revoked: \(Self.shown(Redaction.text(text)))"
        case .noEvaluator:
            return "\(host ?? "its host") has no evaluator, and the session's ServerTrustManager requires one"
        case .authority(let subject, let reason):
            let sentence = reason.description(for: host)
            let authority = "its authority '\(Self.shown(subject))'"
            return sentence.hasPrefix("it ")
                ? "\(authority) \(sentence.dropFirst(3))" : "\(authority) was rejected: \(sentence)"
        case .other(let text): return Excerpt.sentence(Redaction.text(text))
        }
    }

    /// The maximum number of characters that are shown of a name or a reason. A pin has 53.
    private static let shownCharacters = 100

    /// Returns a text of a certificate, which a peer has written.
    private static func shown(_ text: String) -> String {
        Excerpt.sentence(text, limit: shownCharacters)
    }

    /// The number of seconds of a day.
    private static let daySeconds = 86_400

    /// Returns the time in UTC, as in ISO 8601: `2026-05-03T08:49:37Z`.
    private static func time(of date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // The years from 1 to 9999 are within this number of days. It also excludes values that are no number.
        guard abs(seconds) < Double(3_000_000 * daySeconds) else { return "a day outside of the calendar" }
        let days = Int((seconds / Double(daySeconds)).rounded(.down))
        let time = CivilDate.time(ofSecond: Int(seconds) - days * daySeconds)
        return "\(CivilDate(daysSince1970: days))T\(time)Z"
    }
}
