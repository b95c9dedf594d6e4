#if canImport(Darwin)
    internal import Foundation

    extension PreferredLanguages {
        /// The languages of whoever runs the program, as they were when they were first asked for.
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
        /// The languages of whoever runs the program, as they were when they were first asked for.
        public static let current = PreferredLanguages { name in getenv(name).map { String(cString: $0) } }
    }
#endif
