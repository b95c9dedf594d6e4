/// A nested value with fifty fields, for the works about encoding.
public struct Record: Codable, Sendable {
    public struct Person: Codable, Sendable {
        var id = 4711
        var name = "Ada Lovelace"
        var email = "ada@example.org"
        var isActive = true
        var score = 99.5
        var roles = ["author", "reviewer", "reader & more"]
        var age = 36
        var city = "London"
    }

    public struct Place: Codable, Sendable {
        var latitude = 51.507222
        var longitude = -0.1275
        var name = "St James's Square, №12"
        var zip = "SW1Y 4JH"
        var floor = 2
        var isPublic = false
    }

    public struct Item: Codable, Sendable {
        var number: Int
        var title = "Apus apus"
        var price = 12.25
    }

    var author = Person()
    var reviewer = Person()
    var place = Place()
    var title = "Sketch of the Analytical Engine"
    var subtitle = "with notes upon the memoir"
    var year = 1843
    var pages = 66
    var language = "en"
    var isTranslated = true
    var rating = 4.75
    var tags = ["mathematics", "machines", "notes"]
    var items = (1...4).map { Item(number: $0) }
    var comment: String?
    var summary = "The Analytical Engine weaves algebraical patterns just as the loom weaves flowers & leaves."
    var revision = 7

    public init() {}
}
