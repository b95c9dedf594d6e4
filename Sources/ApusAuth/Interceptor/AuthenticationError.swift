/// The errors of an `AuthenticationInterceptor`.
public enum AuthenticationError: Error, Hashable {
    /// There is no credential, for example before the user signs in or after the user signs out.
    case missingCredential
    /// The number of refreshes that the `RefreshWindow` allows within its interval is exhausted.
    case excessiveRefresh
    /// The refresh cancelled itself. The requests that waited for it were not cancelled.
    case refreshCancelled
}

extension AuthenticationError: CustomStringConvertible {
    /// The problem and how to solve it.
    public var description: String {
        switch self {
        case .missingCredential: "there is no credential; set the interceptor's credential first"
        case .excessiveRefresh:
            "the credential needs another refresh, but the refresh window allows no more"
        case .refreshCancelled: "the refresh of the credential cancelled itself"
        }
    }
}
