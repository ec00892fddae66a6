# One award, the same again, and the history, with the standard library alone:
#   BASE_URL=https://… API_KEY=pck_… SIGNING_SECRET=pcs_… TENANT_ID=… python3 award.py
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request


def sign(signing_secret: str, timestamp: str, payload: bytes) -> str:
    """HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex."""
    return hmac.new(signing_secret.encode(), timestamp.encode() + b"." + payload, hashlib.sha256).hexdigest()


def request(url: str, payload: bytes, body=None) -> None:
    timestamp = str(time.time_ns() // 1_000_000)
    headers = {
        "Content-Type": "application/json",
        "X-Api-Key": os.environ["API_KEY"],
        "X-Timestamp": timestamp,
        "X-Signature": sign(os.environ["SIGNING_SECRET"], timestamp, payload),
    }
    try:
        response = urllib.request.urlopen(urllib.request.Request(url, data=body, headers=headers), timeout=10)
    except urllib.error.HTTPError as refusal:  # 4xx and 5xx have a body, too
        response = refusal
    with response:
        print(response.status, response.read().decode())


# With --vectors it signs lines of secret, timestamp and base64 payload instead: the test of sign().
if sys.argv[1:] == ["--vectors"]:
    for line in sys.stdin:
        secret, timestamp, payload = line.rstrip("\n").split(" ")
        print(sign(secret, timestamp, base64.b64decode(payload)))
    sys.exit()

url = os.environ.get("BASE_URL", "http://127.0.0.1:8080") + "/v1/ep/webhook"
tenant_id = os.environ.get("TENANT_ID", "t1")
# The body is built once: the bytes that are signed are the bytes that are sent.
award = json.dumps(
    {
        "tenantId": tenant_id,
        "orderId": "test-1001",
        "userEmail": "ann@example.com",
        "amount": 5250,
        "note": "Thank you",
    }
).encode()

request(url, award, award)
# No response, or 503? Send the same order again: it is credited once.
request(url, award, award)
# A history request is signed over its tenantId.
request(f"{url}/awards?tenantId={tenant_id}", tenant_id.encode())
