public import ApusCore

extension Request {
    /// Answers challenges of the request's origin with a user name and password, by Basic or Digest.
    ///
    /// Credentials are sent only after a challenge. This credential replaces the session's `credentials`.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - password: The password.
    /// - Returns: The request. Has no effect once the request has started.
    @discardableResult
    public func authenticate(username: String, password: String) -> Self {
        authenticate(with: .user(username, password: password))
    }

    /// Answers challenges of the request's origin with a credential.
    ///
    /// Credentials are sent only after a challenge. This credential replaces the session's `credentials`.
    ///
    /// - Parameter credential: The credential.
    /// - Returns: The request. Has no effect once the request has started.
    @discardableResult
    public func authenticate(with credential: Credential) -> Self {
        task.authenticate(with: RequestCredential(credential))
        return self
    }
}
