// One award, the same again, and the history, with the standard library alone:
//
//	BASE_URL=https://… API_KEY=pck_… SIGNING_SECRET=pcs_… TENANT_ID=… go run award.go
package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type Award struct {
	TenantID  string `json:"tenantId"`
	OrderID   string `json:"orderId"`
	UserEmail string `json:"userEmail"`
	Amount    int64  `json:"amount"`
	Note      string `json:"note,omitempty"`
}

// sign gives the HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex.
func sign(signingSecret, timestamp string, payload []byte) string {
	mac := hmac.New(sha256.New, []byte(signingSecret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(payload)
	return hex.EncodeToString(mac.Sum(nil))
}

func send(method, url string, payload, body []byte) {
	timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", os.Getenv("API_KEY"))
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Signature", sign(os.Getenv("SIGNING_SECRET"), timestamp, payload))
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err)
	fmt.Println(response.StatusCode, string(text))
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--vectors" {
		signVectors()
		return
	}
	url := setting("BASE_URL", "http://127.0.0.1:8080") + "/v1/ep/webhook"
	tenantID := setting("TENANT_ID", "t1")
	// The body is built once: the bytes that are signed are the bytes that are sent.
	award, err := json.Marshal(Award{tenantID, "test-1001", "ann@example.com", 5250, "Thank you"})
	check(err)

	send("POST", url, award, award)
	// No response, or 503? Send the same order again: it is credited once.
	send("POST", url, award, award)
	// A history request is signed over its tenantId.
	send("GET", url+"/awards?tenantId="+tenantID, []byte(tenantID), nil)
}

// signVectors signs lines of secret, timestamp and base64 payload: the test of sign.
func signVectors() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		payload, err := base64.StdEncoding.DecodeString(fields[2])
		check(err)
		fmt.Println(sign(fields[0], fields[1], payload))
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
