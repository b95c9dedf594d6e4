internal import Metrics
enum Baseline { static let x = Counter(label: "a") }
