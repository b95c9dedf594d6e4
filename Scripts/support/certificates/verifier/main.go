// Prints the verdicts of crypto/x509 on the cases of Scripts/certificate-matrix as JSON.
package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

type testCase struct {
	Chain, Roots []string
	Host         string
	Time         int64
}

type verdict struct {
	Accepted bool   `json:"accepted"`
	Text     string `json:"text"`
}

func parse(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("no PEM block")
	}
	return x509.ParseCertificate(block.Bytes)
}

// pool skips certificates that can't be parsed.
func pool(texts []string) *x509.CertPool {
	made := x509.NewCertPool()
	for _, text := range texts {
		if certificate, err := parse(text); err == nil {
			made.AddCert(certificate)
		}
	}
	return made
}

func verify(one testCase) error {
	leaf, err := parse(one.Chain[0])
	if err != nil {
		return err
	}
	host := one.Host
	if net.ParseIP(host) != nil && strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	_, err = leaf.Verify(x509.VerifyOptions{
		DNSName:       host,
		Roots:         pool(one.Roots),
		Intermediates: pool(one.Chain[1:]),
		CurrentTime:   time.Unix(one.Time, 0),
	})
	return err
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	var cases []testCase
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil {
		panic(err)
	}
	verdicts := []verdict{}
	for _, one := range cases {
		found := verdict{true, "OK"}
		if err := verify(one); err != nil {
			found = verdict{false, err.Error()}
		}
		verdicts = append(verdicts, found)
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
