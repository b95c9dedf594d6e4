/// Errors that an `AuthenticationInterceptor` itself fails requests with.
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
        case .missingCredential: "there is no credential; set the interceptor's credential once there is one"
        case .excessiveRefresh:
            "the credential was refreshed as often as the refresh window allows, and is wanting again"
        case .refreshCancelled: "the refresh of the credential was cancelled by what carries it out"
        }
    }
}
