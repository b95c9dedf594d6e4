internal import ApusCore
internal import Tracing

/// What a request knows of the task that asked for it: who traces, and below which span.
struct CallTrace: RequestOption {
    let tracer: any Tracer
    /// What writes into the fields: the tracer, and what else the program was bootstrapped with.
    let instrument: any Instrument
    /// What the spans of the request are below.
    let parent: ServiceContext

    /// Takes it down, unless nobody traces.
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
