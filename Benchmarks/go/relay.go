package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
)

// serveRelays runs two servers that pass bytes on, and never returns: a proxy that opens tunnels by CONNECT, and a
// relay to the server `origin`, which needs no request. It prints their addresses once they listen.
func serveRelays(origin string) {
	tunnels, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	relays, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(tunnels.Addr(), relays.Addr())
	go accept(relays, func(client net.Conn) { serveRelay(client, origin) })
	accept(tunnels, serveTunnel)
}

func accept(listener net.Listener, serve func(net.Conn)) {
	for {
		client, err := listener.Accept()
		check(err)
		go func() {
			defer client.Close()
			serve(client)
		}()
	}
}

func serveTunnel(client net.Conn) {
	reader := bufio.NewReader(client)
	request, err := http.ReadRequest(reader)
	if err != nil {
		return
	}
	if request.Method != "CONNECT" {
		fmt.Fprint(client, "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		return
	}
	server, err := net.Dial("tcp", request.Host)
	if err != nil {
		fmt.Fprint(client, "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		return
	}
	defer server.Close()
	fmt.Fprint(client, "HTTP/1.1 200 OK\r\n\r\n")
	// A client may send the first bytes of the tunnel along with its request.
	if _, err := io.CopyN(server, reader, int64(reader.Buffered())); err != nil {
		return
	}
	join(client, server)
}

func serveRelay(client net.Conn, origin string) {
	server, err := net.Dial("tcp", origin)
	if err != nil {
		return
	}
	defer server.Close()
	join(client, server)
}

// join passes all bytes in both directions, until both have ended.
func join(client net.Conn, server net.Conn) {
	ended := make(chan bool)
	go func() {
		pass(client, server)
		close(ended)
	}()
	pass(server, client)
	<-ended
}

// pass sends everything from one connection to another, and then its end.
func pass(source net.Conn, target net.Conn) {
	io.Copy(target, source)
	target.(*net.TCPConn).CloseWrite()
}
