// Signs what will be sent: X-Timestamp, a dot, then the raw body of an award or the tenantId of a history request.
const cryptoJs = require('crypto-js')

const raw = pm.request.body?.raw || ''
if (raw.includes('{{$')) {
  throw new Error(
    'A dynamic variable such as {{$guid}} changes between signing and sending. Use a fixed value instead.',
  )
}
const payload =
  pm.request.method === 'POST'
    ? pm.variables.replaceIn(raw)
    : decodeURIComponent(pm.variables.replaceIn(pm.request.url.query.get('tenantId')))
const timestamp = String(Date.now())
const secret = pm.variables.get('signingSecret')
const signature = cryptoJs.HmacSHA256(`${timestamp}.${payload}`, secret).toString(cryptoJs.enc.Hex)

pm.request.headers.upsert({ key: 'X-Api-Key', value: pm.variables.get('apiKey') })
pm.request.headers.upsert({ key: 'X-Timestamp', value: timestamp })
pm.request.headers.upsert({ key: 'X-Signature', value: signature })
