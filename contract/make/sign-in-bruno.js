// Signs what will be sent: X-Timestamp, a dot, then the raw body of an award or the tenantId of a history request.
const cryptoJs = require('crypto-js')

let payload
if (req.getMethod() === 'POST') {
  // The body with its variables filled in is signed, and that text is sent.
  payload = bru.interpolate(req.getBody({ raw: true }))
  req.setBody(payload, { raw: true })
} else {
  const url = bru.interpolate(req.getUrl())
  payload = decodeURIComponent(/[?&]tenantId=([^&#]*)/.exec(url)[1])
}
const timestamp = String(Date.now())
const secret = bru.interpolate('{{signingSecret}}')
const signature = cryptoJs.HmacSHA256(`${timestamp}.${payload}`, secret).toString(cryptoJs.enc.Hex)

req.setHeader('X-Api-Key', bru.interpolate('{{apiKey}}'))
req.setHeader('X-Timestamp', timestamp)
req.setHeader('X-Signature', signature)
