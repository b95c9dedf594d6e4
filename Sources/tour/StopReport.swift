internal import Apus
internal import ApusTestServer
internal import Foundation

/// The report on a stop.
struct StopReport {
    let number: Int
    let stop: Stop
    let visit: Tour.Visit
    let screen: Screen

    private static let titleWidth = 28
    private static let timeWidth = 8
    private static let indent = "     "

    var lines: [String] {
        let time = screen.paint(Wording.flushRight(WaterfallScale.label(visit.duration), Self.timeWidth), .quiet)
        let count = screen.paint(Wording.flushRight("\(number)", 2), .quiet)
        let title = Wording.fit(stop.title, Self.titleWidth)
        let room = screen.columns - Self.titleWidth - Self.timeWidth - 7
        switch visit.result {
        case .success(let finding):
            let head = "\(count) \(screen.paint("✓", .good)) \(title) \(Wording.fit(finding.text, room)) \(time)"
            return [head] + finding.quotes.flatMap { quote($0) } + drawn(finding.picture)
        case .failure(let error):
            let text = Wording.fit("failed:", room)
            let head = "\(count) \(screen.paint("✗", .bad)) \(title) \(text) \(time)"
            return [head] + wrapped("\(error)").map { screen.paint($0, .bad) }
        }
    }

    private func quote(_ text: String) -> [String] {
        wrapped("“\(text)”").map { screen.paint($0, .quiet) }
    }

    private func drawn(_ picture: Waterfall?) -> [String] {
        guard let picture else { return [] }
        return picture.text(columns: screen.columns - Self.indent.count, colors: screen.isColored)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "\(Self.indent)\($0)" }
    }

    private func wrapped(_ text: String) -> [String] {
        Wording.wrap(text, screen.columns - Self.indent.count - Self.timeWidth).map { Self.indent + $0 }
    }
}
