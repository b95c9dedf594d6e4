/// Keeps only the first bytes of the response body in memory. The rest is received, within the limits of the session,
/// and dropped.
///
/// It has no effect on a request with a handle, and on one whose validators get the body.
package struct KeptBeginning: RequestOption, Hashable {
    /// The number of bytes to keep.
    package let byteCount: Int

    package init(byteCount: Int) {
        self.byteCount = byteCount
    }
}
