#if canImport(Darwin)
    internal import Foundation

    extension PreferredLanguages {
        /// The languages of the current user, read once at first use.
        public static let current = PreferredLanguages(Locale.preferredLanguages)
    }
#else
    internal import ApusPlatform

    extension PreferredLanguages {
        /// The languages of the current user, read once at first use.
        public static let current = PreferredLanguages { name in getenv(name).map { String(cString: $0) } }
    }
#endif
