<?php
// One award, the same again, and the history, without any extension:
//   BASE_URL=https://… API_KEY=pck_… SIGNING_SECRET=pcs_… TENANT_ID=… php award.php

/** HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex. */
function sign(string $signingSecret, string $timestamp, string $payload): string
{
    return hash_hmac('sha256', "$timestamp.$payload", $signingSecret);
}

function request(string $method, string $url, string $payload, string $body = ''): void
{
    $timestamp = (string) (int) (microtime(true) * 1000);
    $options = [
        'method' => $method,
        'header' => [
            'Content-Type: application/json',
            'X-Api-Key: ' . getenv('API_KEY'),
            "X-Timestamp: $timestamp",
            'X-Signature: ' . sign(getenv('SIGNING_SECRET'), $timestamp, $payload),
        ],
        'content' => $body,
        'timeout' => 10,
        'ignore_errors' => true, // 4xx and 5xx have a body, too
    ];
    $response = fopen($url, 'r', false, stream_context_create(['http' => $options]));
    $status = explode(' ', stream_get_meta_data($response)['wrapper_data'][0])[1];
    echo "$status ", stream_get_contents($response), "\n";
}

// With --vectors it signs lines of secret, timestamp and base64 payload instead: the test of sign().
if (($argv[1] ?? '') === '--vectors') {
    while (($line = fgets(STDIN)) !== false) {
        [$secret, $timestamp, $payload] = explode(' ', rtrim($line, "\n"));
        echo sign($secret, $timestamp, base64_decode($payload)), "\n";
    }
    exit;
}

$url = (getenv('BASE_URL') ?: 'http://127.0.0.1:8080') . '/v1/ep/webhook';
$tenantId = getenv('TENANT_ID') ?: 't1';
// The body is built once: the text that is signed is the text that is sent.
$award = json_encode([
    'tenantId' => $tenantId,
    'orderId' => 'test-1001',
    'userEmail' => 'ann@example.com',
    'amount' => 5250,
    'note' => 'Thank you',
]);

request('POST', $url, $award, $award);
// No response, or 503? Send the same order again: it is credited once.
request('POST', $url, $award, $award);
// A history request is signed over its tenantId.
request('GET', "$url/awards?tenantId=$tenantId", $tenantId);
