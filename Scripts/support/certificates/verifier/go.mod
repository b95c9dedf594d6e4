module apus/verifier

go 1.19
