internal import Tracing
enum Baseline { static let x = ServiceContext.topLevel }
