#!/usr/bin/env bash
# One award, the same again, and the history, with curl and openssl:
#   BASE_URL=https://… API_KEY=pck_… SIGNING_SECRET=pcs_… TENANT_ID=… bash award.sh
set -euo pipefail

# The X-Signature of the payload on standard input: HMAC-SHA-256 of the timestamp, a dot and the payload, in hex.
# The secret can be seen in the list of processes for a moment: not for a machine that you share.
sign() {
  { printf '%s.' "$1" && cat; } | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //'
}

# With --vectors it signs lines of secret, timestamp and base64 payload instead: the test of sign().
if [ "${1:-}" = --vectors ]; then
  while read -r SIGNING_SECRET timestamp payload; do base64 -d <<< "$payload" | sign "$timestamp"; done
  exit
fi

# Sends a request that is signed over its first argument; the others go to curl.
request() {
  local payload=$1 timestamp signature
  timestamp=$(date +%s)000
  signature=$(printf '%s' "$payload" | sign "$timestamp")
  curl -s -w '\n%{http_code}\n' -H "X-Api-Key: $API_KEY" -H "X-Timestamp: $timestamp" \
    -H "X-Signature: $signature" "${@:2}" | { read -r body && read -r status && echo "$status $body"; }
}

url=${BASE_URL:-http://127.0.0.1:8080}/v1/ep/webhook
tenant=${TENANT_ID:-t1}
# The body is built once: the bytes that are signed are the bytes that are sent (--data-binary changes nothing).
award='{"tenantId":"'$tenant'","orderId":"test-1001","userEmail":"ann@example.com","amount":5250,"note":"Thank you"}'

request "$award" "$url" -H 'Content-Type: application/json' --data-binary "$award"
# No response, or 503? Send the same order again: it is credited once.
request "$award" "$url" -H 'Content-Type: application/json' --data-binary "$award"
# A history request is signed over its tenantId.
request "$tenant" "$url/awards?tenantId=$tenant"
