/// Why an `AuthenticationInterceptor` ended a request by itself.
public enum AuthenticationError: Error, Hashable {
    /// There is no credential: nobody has signed in, or somebody has signed out.
    case missingCredential
    /// As many refreshes as the `RefreshWindow` allows have begun within its interval.
    case excessiveRefresh
    /// The refresh was cancelled from inside; the requests that waited for it were not.
    case refreshCancelled
}

extension AuthenticationError: CustomStringConvertible {
    /// What is wrong, and what can be done about it.
    public var description: String {
        switch self {
        case .missingCredential: "there is no credential; set the interceptor's credential once there is one"
        case .excessiveRefresh:
            "the credential was refreshed as often as the refresh window allows, and is wanting again"
        case .refreshCancelled: "the refresh of the credential was cancelled by what carries it out"
        }
    }
}
