//go:build go1.24

package main

import "net/http"

const supportsH2C = true

// allowH2C lets a server accept HTTP/2 without TLS, with prior knowledge.
func allowH2C(server *http.Server) {
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
}
