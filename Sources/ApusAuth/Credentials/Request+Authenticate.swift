public import ApusCore

extension Request {
    /// Answers challenges of the origin that the request is for with a user name and password, by Basic or Digest.
    ///
    /// Nothing is sent before the server asks. Without it, it is the session's `credentials` that are asked.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - password: The password.
    /// - Returns: The request. Once it is on its way this changes nothing.
    @discardableResult
    public func authenticate(username: String, password: String) -> Self {
        authenticate(with: .user(username, password: password))
    }

    /// Answers challenges of the origin that the request is for with a credential.
    ///
    /// Nothing is sent before the server asks. Without it, it is the session's `credentials` that are asked.
    ///
    /// - Parameter credential: The credential.
    /// - Returns: The request. Once it is on its way this changes nothing.
    @discardableResult
    public func authenticate(with credential: Credential) -> Self {
        task.authenticate(with: RequestCredential(credential))
        return self
    }
}
