// Origin is the HTTP/2 server of Go's net/http for Scripts/interop. Over HTTP/1.1 it is also the origin behind the
// other servers, for the paths below /origin/.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The fields of one response fit into one field each, but not together into one frame of 16 KiB.
const longField = 12_000

func main() {
	secure := flag.String("tls", "", "the address for TLS")
	clear := flag.String("clear", "", "the address without TLS")
	certificate := flag.String("certificate", "", "the file of the certificate")
	key := flag.String("key", "", "the file of its key")
	www := flag.String("www", ".", "the folder of the files")
	asks := flag.Bool("h2c", false, "print whether HTTP/2 without TLS is supported, and exit")
	flag.Parse()
	if *asks {
		fmt.Println(supportsH2C)
		return
	}

	http.Handle("/", http.FileServer(http.Dir(*www)))
	http.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/small.txt", http.StatusFound)
	})
	http.HandleFunc("/origin/protocol", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Proto) })
	http.HandleFunc("/origin/up", up)
	http.HandleFunc("/origin/trailers", trailers)
	http.HandleFunc("/origin/sent-trailers", sentTrailers)
	http.HandleFunc("/origin/pause", pause)
	http.HandleFunc("/origin/chain/", chain)
	http.HandleFunc("/origin/hints", hints)
	http.HandleFunc("/origin/long", long)

	server := &http.Server{Addr: *clear}
	allowH2C(server)
	go func() { log.Fatal(server.ListenAndServe()) }()
	log.Fatal((&http.Server{Addr: *secure}).ListenAndServeTLS(*certificate, *key))
}

// up responds with the digest of the body and its length.
func up(w http.ResponseWriter, r *http.Request) {
	hash := sha256.New()
	count, err := io.Copy(hash, r.Body)
	if err != nil {
		log.Print(err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%x %d\n", hash.Sum(nil), count)
}

// trailers responds with a body in two parts and a trailer field.
func trailers(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Trailer", "X-Swift")
	fmt.Fprint(w, "a swift does everything ")
	w.(http.Flusher).Flush()
	fmt.Fprint(w, "in the air\n")
	w.Header().Set("X-Swift", "apus")
}

// sentTrailers responds with the length of the body and a trailer field of the request. Over HTTP/2, net/http drops
// fields that Trailer does not announce.
func sentTrailers(w http.ResponseWriter, r *http.Request) {
	count, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		log.Print(err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%d %s\n", count, r.Trailer.Get("X-Swift"))
}

// pause responds after 20 ms, so that many requests are open at a time.
func pause(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	time.Sleep(20 * time.Millisecond)
	fmt.Fprintln(w, r.Method)
}

// chain redirects as often as its last path segment says, and keeps the method.
func chain(w http.ResponseWriter, r *http.Request) {
	// Otherwise the server may reset the connection to a proxy after its response.
	io.Copy(io.Discard, r.Body)
	rest, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/origin/chain/"))
	if err != nil || rest <= 0 {
		fmt.Fprintln(w, "end of "+r.Method)
		return
	}
	http.Redirect(w, r, fmt.Sprintf("/origin/chain/%d", rest-1), http.StatusTemporaryRedirect)
}

// hints responds with a 103 first.
func hints(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Link", "</style.css>; rel=preload")
	w.WriteHeader(http.StatusEarlyHints)
	w.Header().Del("Link")
	fmt.Fprintln(w, "after the hints")
}

// long responds with the length of a long field of the request, and with long fields.
func long(w http.ResponseWriter, r *http.Request) {
	for number := 0; number < 4; number++ {
		w.Header().Set(fmt.Sprintf("X-Long-%d", number), strings.Repeat(strconv.Itoa(number), longField))
	}
	fmt.Fprintln(w, len(r.Header.Get("X-Long")))
}
