#if canImport(Darwin)
    internal import Foundation

    extension PreferredLanguages {
        /// The languages of the current user, read once at first use.
        public static let current = PreferredLanguages(Locale.preferredLanguages)
    }
#else
    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Android)
        internal import Android
    #endif

    extension PreferredLanguages {
        /// The languages of the current user, read once at first use.
        public static let current = PreferredLanguages { name in getenv(name).map { String(cString: $0) } }
    }
#endif
