/// A field that failed its check when it was set in a message. The request fails with its error, and is not sent.
///
/// The setter of a property can't throw, so the message keeps the error. Not `Hashable`, so that such a request is equal
/// to no other one.
package struct RejectedField: RequestOption {
    package let error: ApusError

    package init(_ error: ApusError) {
        self.error = error
    }
}
