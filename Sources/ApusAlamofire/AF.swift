public import Apus

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The shared session with the default configuration, `Session.default`.
///
/// ```swift
/// AF.request("https://api.example.org/users/1").validate().responseDecodable(of: User.self) { print($0.result) }
/// ```
public let AF: Session = .default
