/// Marks a request of a transfer that its sender continues by itself, from the byte that the server has asked for.
///
/// Retry policies do not retry such a request, since they would send all of its bytes again. Its body is never
/// compressed, since the server counts the bytes that it receives.
package struct ManagedTransfer: RequestOption, Hashable {
    package init() {}
}
