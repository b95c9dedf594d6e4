//go:build !go1.24

package main

import "net/http"

const supportsH2C = false

func allowH2C(*http.Server) {}
