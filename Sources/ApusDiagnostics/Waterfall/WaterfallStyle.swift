internal import ApusCore

/// The style sheet of a waterfall in SVG, for light backgrounds and, if the reader prefers them, for dark ones.
enum WaterfallStyle {
    static let element = """
        <style>
        .apus-waterfall{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
        .apus-ground{fill:#fff}
        .apus-summary,.apus-path{fill:#1f2328}
        .apus-summary{font-weight:600;font-size:13px}
        .apus-note{fill:#656d76}
        .apus-time{stroke:#fff;stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
        .apus-good{fill:#1a7f37}
        .apus-moved{fill:#0969da}
        .apus-bad{fill:#cf222e;font-weight:600}
        .apus-grid{stroke:#d1d9e0;stroke-width:1;shape-rendering:crispEdges}
        .apus-stripe{fill:#818b98;fill-opacity:0}
        .apus-row:hover .apus-stripe{fill-opacity:.15}
        .apus-queue{fill:#9198a1}
        .apus-resolve{fill:#11a79c}
        .apus-connect{fill:#ef8e1d}
        .apus-tls{fill:#a15fd6}
        .apus-send{fill:#d9ab00}
        .apus-wait{fill:#45a557}
        .apus-receive{fill:#2f7fe0}
        @media (prefers-color-scheme:dark){
        .apus-ground{fill:#0d1117}
        .apus-summary,.apus-path{fill:#e6edf3}
        .apus-note{fill:#9198a1}
        .apus-time{stroke:#0d1117}
        .apus-good{fill:#3fb950}
        .apus-moved{fill:#58a6ff}
        .apus-bad{fill:#f85149}
        .apus-grid{stroke:#30363d}
        }
        </style>
        """
}
