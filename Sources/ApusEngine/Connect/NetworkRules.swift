internal import ApusCore

/// Rules of addresses as a part of a route. `nil` stands for the default rules, so that routes of most sessions compare
/// two null pointers.
///
/// A class with a stored hash, since a route is compared for each request, and rules may have many overrides.
final class NetworkRules: Hashable, Sendable {
    private static let standard = AddressRules()

    let rules: AddressRules
    private let storedHash: Int

    private init(_ rules: AddressRules) {
        self.rules = rules
        self.storedHash = rules.hashValue
    }

    /// Returns the rules for a route. `nil` for the default rules.
    static func make(_ rules: AddressRules) -> NetworkRules? {
        rules == standard ? nil : NetworkRules(rules)
    }

    static func == (one: NetworkRules, other: NetworkRules) -> Bool {
        one === other || one.storedHash == other.storedHash && one.rules == other.rules
    }

    func hash(into hasher: inout Hasher) { hasher.combine(storedHash) }
}
