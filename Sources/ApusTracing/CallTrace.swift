internal import ApusCore
internal import Tracing

/// The tracing state of a request: the tracer, and the parent span of the task that created the request.
struct CallTrace: IncidentalOption {
    let tracer: any Tracer
    /// The instrument that injects fields: the tracer, and others that the program was bootstrapped with.
    let instrument: any Instrument
    /// The parent of the request's spans.
    let parent: ServiceContext

    /// Captures the tracer and the parent span of the current task. Returns `nil` if there is no tracer.
    init?(_ tracer: (any Tracer)?) {
        if let tracer {
            self.tracer = tracer
            self.instrument = tracer
        } else {
            self.tracer = InstrumentationSystem.tracer
            self.instrument = InstrumentationSystem.instrument
        }
        if self.tracer is NoOpTracer { return nil }
        self.parent = ServiceContext.current ?? .topLevel
    }
}
