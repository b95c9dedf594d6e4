internal import ApusCore

extension Waterfall {
    /// Returns the chart as an SVG document for a page or a report. It has a light and a dark style, and shows the
    /// details of an exchange as a tooltip.
    ///
    /// It loads no resources and runs no scripts. All its classes begin with `apus-`, so it can be embedded in another
    /// document unchanged.
    public func svg() -> String {
        WaterfallSVG(self).document
    }
}

/// Lays out a waterfall as SVG.
private struct WaterfallSVG {
    private static let width = 960.0
    private static let margin = 20.0
    private static let rowHeight = 22.0
    /// The width of a character of a monospaced font of 12 px.
    private static let advance = 7.25

    private let waterfall: Waterfall
    private let methodX: Double
    private let pathX: Double
    private let pathWidth: Int
    private let statusX: Double
    private let barX: Double
    private let barWidth: Double
    private let top: Double
    private let scale: WaterfallScale

    init(_ waterfall: Waterfall) {
        self.waterfall = waterfall
        let rows = waterfall.rows
        func widest(_ limit: Int, _ text: (Waterfall.Row) -> String) -> Double {
            Double(min(limit, rows.map { WaterfallLabel.width(text($0)) }.max() ?? 0))
        }
        let name = widest(24) { $0.name }
        methodX = Self.margin + (name > 0 ? (name + 1.5) * Self.advance : 0)
        pathX = methodX + (widest(10) { $0.method } + 1) * Self.advance
        let path = widest(36) { $0.path + ($0.cause == .first ? "" : "  ") }
        pathWidth = Int(path)
        statusX = pathX + (path + 1.5) * Self.advance
        barX = statusX + 5 * Self.advance
        barWidth = Self.width - Self.margin - 9 * Self.advance - barX
        top = 108
        scale = WaterfallScale(duration: waterfall.duration, atMost: max(2, Int(barWidth / 80)))
    }

    private var bottom: Double { top + Double(waterfall.rows.count) * Self.rowHeight }

    var document: String {
        let height = bottom + Self.margin
        let width = px(Self.width)
        let size = "width=\"\(width)\" height=\"\(px(height))\" viewBox=\"0 0 \(width) \(px(height))\""
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) class=\"apus-waterfall\" role=\"img\">",
            "<title>\(Self.escape("Waterfall of \(waterfall.summary)"))</title>",
            WaterfallStyle.element,
            "<rect class=\"apus-ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>",
            text(waterfall.summary, x: Self.margin, y: 32, class: "apus-summary"),
        ]
        lines += legend + grid + waterfall.rows.enumerated().flatMap { row($1, at: top + Double($0) * Self.rowHeight) }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private var legend: [String] {
        let present = Set(waterfall.rows.flatMap { $0.spans.filter { $0.end > $0.begin }.map(\.phase) })
        var x = Self.margin
        return WaterfallPhase.allCases.filter(present.contains).flatMap { phase in
            let height = Self.height(phase)
            let swatch = rect(x: x, y: 53 - height / 2, width: 12, height: height, phase)
            let label = text(phase.name, x: x + 18, y: 57, class: "apus-note")
            x += 36 + Double(phase.name.count) * Self.advance
            return [swatch, label]
        }
    }

    private var grid: [String] {
        scale.ticks.flatMap { tick in
            let x = place(tick.offset)
            return [
                "<path class=\"apus-grid\" d=\"M\(px(x)) \(px(top - 6))V\(px(bottom))\"/>",
                text(tick.label, x: x, y: top - 12, class: "apus-note", anchor: tick.offset == 0 ? "start" : "middle"),
            ]
        }
    }

    private func row(_ row: Waterfall.Row, at y: Double) -> [String] {
        let baseline = y + Self.rowHeight / 2 + 4
        var path = row.path
        var x = pathX
        if row.cause != .first {
            x += 2 * Self.advance
            path = WaterfallLabel.fit(path, pathWidth - 2, fills: false)
        }
        let (status, kind) =
            switch row.outcome {
            case .status(let code): (String(code), code >= 400 ? "bad" : code >= 300 ? "moved" : "good")
            case .failed: ("✗", "bad")
            case .running: ("…", "moved")
            }
        let end = max(place(row.end), place(row.begin) + 2)
        let name = row.name.isEmpty ? nil : WaterfallLabel.fit(row.name, 24, fills: false)
        return [
            "<g class=\"apus-row\">",
            "<title>\(Self.escape(row.details.joined(separator: "\n")))</title>",
            stripe(y: y),
            name.map { text($0, x: Self.margin, y: baseline, class: "apus-note") },
            text(WaterfallLabel.fit(row.method, 10, fills: false), x: methodX, y: baseline, class: "apus-note"),
            row.cause == .first ? nil : text("↳", x: pathX, y: baseline, class: "apus-note"),
            text(WaterfallLabel.fit(path, pathWidth, fills: false), x: x, y: baseline, class: "apus-path"),
            text(status, x: statusX + 1.5 * Self.advance, y: baseline, class: "apus-\(kind)", anchor: "middle"),
        ].compactMap(\.self)
            + bars(row, y: y + Self.rowHeight / 2)
            + [text(WaterfallScale.label(row.duration), x: end + 7, y: baseline, class: "apus-note apus-time"), "</g>"]
    }

    /// Returns the bars of a row, centered on its middle, the short ones on top of the long ones.
    ///
    /// A bar is at least one pixel wide, a single bar two. Bars narrower than a quarter of a pixel would hide others,
    /// so they are left out, except for the longest bar of the row.
    private func bars(_ row: Waterfall.Row, y: Double) -> [String] {
        let spans = row.spans.sorted { $0.duration > $1.duration }
        let least = spans.count == 1 ? 2.0 : 1.0
        return spans.enumerated().compactMap { rank, span in
            let x = place(span.begin)
            let width = place(span.end) - x
            guard rank == 0 || width >= 0.25 else { return nil }
            let height = Self.height(span.phase)
            return rect(x: x, y: y - height / 2, width: max(least, width), height: height, span.phase)
        }
    }

    /// Waiting is thin, work is thick.
    private static func height(_ phase: WaterfallPhase) -> Double {
        switch phase {
        case .queue: 3
        case .wait: 6
        default: 12
        }
    }

    private func place(_ offset: Int64) -> Double {
        barX + Double(offset) / Double(max(1, waterfall.duration.wholeNanoseconds)) * barWidth
    }

    // MARK: Elements

    private func rect(x: Double, y: Double, width: Double, height: Double, _ phase: WaterfallPhase) -> String {
        "<rect class=\"apus-\(phase)\" x=\"\(px(x))\" y=\"\(px(y))\" width=\"\(px(width))\" height=\"\(px(height))\"/>"
    }

    /// The background of a row, visible while the pointer is over it.
    private func stripe(y: Double) -> String {
        let size = "width=\"\(px(Self.width - 16))\" height=\"\(px(Self.rowHeight))\""
        return "<rect class=\"apus-stripe\" x=\"8\" y=\"\(px(y))\" \(size) rx=\"3\"/>"
    }

    private func text(_ text: String, x: Double, y: Double, class name: String, anchor: String = "start") -> String {
        let place = anchor == "start" ? "" : " text-anchor=\"\(anchor)\""
        return "<text class=\"\(name)\" x=\"\(px(x))\" y=\"\(px(y))\"\(place)>\(Self.escape(text))</text>"
    }

    private func px(_ value: Double) -> String {
        let text = WaterfallScale.decimal(value, places: 2)
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : text
    }

    /// Escapes text for XML.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
