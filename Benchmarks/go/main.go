// Measures the HTTP client of Go's standard library, with the same flags and JSON output as the other clients.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type item struct {
	ID     int      `json:"id"`
	Name   string   `json:"name"`
	Email  string   `json:"email"`
	Score  float64  `json:"score"`
	Active bool     `json:"active"`
	Tags   []string `json:"tags"`
}

type measurement struct {
	Requests      int     `json:"requests"`
	Bytes         int64   `json:"bytes"`
	Seconds       float64 `json:"seconds"`
	CPUSeconds    float64 `json:"cpuSeconds"`
	ResidentBytes int64   `json:"residentBytes"`
	BaselineBytes int64   `json:"baselineBytes"`
	Sockets       int     `json:"sockets"`
}

var (
	work        = flag.String("work", "", "")
	url         = flag.String("url", "", "")
	_           = flag.String("mode", "", "")
	requests    = flag.Int("requests", 1, "")
	concurrency = flag.Int("concurrency", 1, "")
	expected    = flag.Int64("bytes", 0, "")
	authority   = flag.String("ca", "", "")
	proxy       = flag.String("proxy", "", "")
	relayTo     = flag.String("relay-to", "", "")
	file        = flag.String("file", "", "")
	warmURL     = flag.String("warm", "", "")
	holdURL     = flag.String("hold", "", "")
	release     = flag.String("release", "", "")
	client      *http.Client
)

func main() {
	flag.Parse()
	if *relayTo != "" {
		serveRelays(*relayTo)
	}
	if *lineMode {
		serveLine()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = *concurrency
	if strings.HasPrefix(*work, "queued-") {
		transport.MaxConnsPerHost = *concurrency
	}
	if *authority != "" {
		pem, err := os.ReadFile(*authority)
		check(err)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
		// A configuration of its own would disable HTTP/2 otherwise.
		transport.ForceAttemptHTTP2 = strings.HasPrefix(*work, "h2-")
	}
	if *proxy != "" {
		address, err := neturl.Parse(*proxy)
		check(err)
		transport.Proxy = http.ProxyURL(address)
	}
	transport.DisableKeepAlives = strings.HasPrefix(*work, "handshake-")
	client = &http.Client{Transport: transport}
	name := *work
	for _, prefix := range []string{"tls-", "h2-", "relayed-", "tunnel-", "proxy-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	var result measurement
	switch {
	case strings.HasPrefix(name, "get-"), strings.HasPrefix(name, "handshake-"):
		result = loop(get)
	case strings.HasPrefix(name, "json-"):
		result = loop(decode)
	case strings.HasPrefix(name, "down-") && strings.HasSuffix(name, "-file"):
		result = loop(save)
	case strings.HasPrefix(name, "down-"):
		result = loop(drop)
	case strings.HasPrefix(name, "up-"):
		result = loop(upload)
	case strings.HasPrefix(name, "idle-"):
		result = idle()
	case strings.HasPrefix(name, "queued-"):
		result = queued()
	default:
		check(fmt.Errorf("no work %s", *work))
	}
	line, err := json.Marshal(result)
	check(err)
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-go:", err)
		os.Exit(1)
	}
}

func send(request *http.Request, err error) *http.Response {
	check(err)
	response, err := client.Do(request)
	check(err)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		check(fmt.Errorf("status %s", response.Status))
	}
	return response
}

func body(url string) []byte {
	response := send(http.NewRequest("GET", url, nil))
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	check(err)
	return data
}

func get(url string) int64 { return int64(len(body(url))) }

func decode(url string) int64 {
	var items []item
	check(json.Unmarshal(body(url), &items))
	return int64(len(items))
}

func drop(url string) int64 {
	response := send(http.NewRequest("GET", url, nil))
	defer response.Body.Close()
	count, err := io.Copy(io.Discard, response.Body)
	check(err)
	return count
}

func save(url string) int64 {
	response := send(http.NewRequest("GET", url, nil))
	defer response.Body.Close()
	target, err := os.Create(*file)
	check(err)
	count, err := io.Copy(target, response.Body)
	check(err)
	check(target.Close())
	return count
}

func upload(url string) int64 {
	source, err := os.Open(*file)
	check(err)
	defer source.Close()
	information, err := source.Stat()
	check(err)
	request, err := http.NewRequest("PUT", url, source)
	check(err)
	request.ContentLength = information.Size()
	response := send(request, nil)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	return int64(len(body))
}

// run distributes `count` calls over `workers` goroutines, and returns the sum of their results.
func run(count int, workers int, expected int64, call func(string) int64, url string) int64 {
	var total int64
	var group sync.WaitGroup
	for worker := 0; worker < workers; worker++ {
		share := count / workers
		if worker < count%workers {
			share++
		}
		group.Add(1)
		go func() {
			defer group.Done()
			var sum int64
			for i := 0; i < share; i++ {
				size := call(url)
				if expected > 0 && size != expected {
					check(fmt.Errorf("a response has %d instead of %d", size, expected))
				}
				sum += size
			}
			atomic.AddInt64(&total, sum)
		}()
	}
	group.Wait()
	return total
}

func loop(call func(string) int64) measurement {
	if *warmURL != "" {
		drop(*warmURL)
	} else {
		count := *requests / 10
		if count < *concurrency*4 {
			count = *concurrency * 4
		}
		run(count, *concurrency, *expected, call, *url)
	}
	check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	baseline := status("VmRSS")
	cpu, start := processorSeconds(), time.Now()
	bytes := run(*requests, *concurrency, *expected, call, *url)
	elapsed := time.Since(start).Seconds()
	cpu = processorSeconds() - cpu
	return measurement{*requests, bytes, elapsed, cpu, status("VmHWM"), baseline, sockets()}
}

func idle() measurement {
	get(*url)
	baseline := settledResidentBytes()
	start := time.Now()
	var group sync.WaitGroup
	var bytes int64
	hold(*concurrency, &group, &bytes)
	settledResidentBytes()
	check(os.WriteFile(*release, nil, 0o600))
	group.Wait()
	resident := settledResidentBytes()
	elapsed := time.Since(start).Seconds()
	return measurement{*concurrency, bytes, elapsed, processorSeconds(), resident, baseline, sockets()}
}

func queued() measurement {
	start := time.Now()
	var group sync.WaitGroup
	var bytes, finished int64
	hold(*concurrency, &group, &bytes)
	baseline := settledResidentBytes()
	for i := 0; i < *requests; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			atomic.AddInt64(&bytes, get(*url))
			atomic.AddInt64(&finished, 1)
		}()
	}
	resident, open := settledResidentBytes(), sockets()
	if early := atomic.LoadInt64(&finished); early > 0 {
		check(fmt.Errorf("%d of %d requests did not wait for a connection", early, *requests))
	}
	check(os.WriteFile(*release, nil, 0o600))
	group.Wait()
	return measurement{*requests, bytes, time.Since(start).Seconds(), processorSeconds(), resident, baseline, open}
}

// hold starts `count` requests whose responses are delayed until the file `release` exists.
func hold(count int, group *sync.WaitGroup, bytes *int64) {
	for i := 0; i < count; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			atomic.AddInt64(bytes, get(*holdURL))
		}()
	}
}

// settledResidentBytes waits until the resident memory and the CPU time have not changed for half a second, and returns
// the resident memory.
func settledResidentBytes() int64 {
	last, cpu, quiet := int64(0), 0.0, 0
	for i := 0; i < 600 && quiet < 5; i++ {
		time.Sleep(100 * time.Millisecond)
		now, used := status("VmRSS"), processorSeconds()
		if now-last <= 65536 && last-now <= 65536 && used-cpu < 0.01 {
			quiet++
		} else {
			quiet = 0
		}
		last, cpu = now, used
	}
	return last
}

func processorSeconds() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	seconds := func(time syscall.Timeval) float64 { return float64(time.Sec) + float64(time.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func status(key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	check(err)
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, key+":") {
			value, err := strconv.ParseInt(strings.Fields(line)[1], 10, 64)
			check(err)
			return value * 1024
		}
	}
	return 0
}

func sockets() int {
	entries, err := os.ReadDir("/proc/self/fd")
	check(err)
	count := 0
	for _, entry := range entries {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err == nil && strings.HasPrefix(target, "socket:") {
			count++
		}
	}
	return count
}
