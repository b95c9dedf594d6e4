internal import Apus

extension Request {
    /// Returns the request after adding an interceptor, if there is one.
    func intercepted(by interceptor: (any RequestInterceptor)?) -> Self {
        if let interceptor { self.interceptor(interceptor) }
        return self
    }
}
