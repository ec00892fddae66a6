# One award, the same again, and the history, with the standard library alone:
#   BASE_URL=https://… API_KEY=pck_… SIGNING_SECRET=pcs_… TENANT_ID=… ruby award.rb
require 'json'
require 'net/http'
require 'openssl'

# HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex.
def sign(signing_secret, timestamp, payload)
  OpenSSL::HMAC.hexdigest('SHA256', signing_secret, "#{timestamp}.".b + payload.b)
end

def send_signed(request, payload)
  timestamp = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond).to_s
  request['X-Api-Key'] = ENV.fetch('API_KEY')
  request['X-Timestamp'] = timestamp
  request['X-Signature'] = sign(ENV.fetch('SIGNING_SECRET'), timestamp, payload)
  uri = request.uri
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') { |http| http.request(request) }
  puts "#{response.code} #{response.body}"
end

# With --vectors it signs lines of secret, timestamp and base64 payload instead: the test of sign.
if ARGV == ['--vectors']
  $stdin.each_line(chomp: true) do |line|
    secret, timestamp, payload = line.split(' ', 3)
    puts sign(secret, timestamp, payload.unpack1('m'))
  end
  exit
end

url = "#{ENV.fetch('BASE_URL', 'http://127.0.0.1:8080')}/v1/ep/webhook"
tenant_id = ENV.fetch('TENANT_ID', 't1')
award = Net::HTTP::Post.new(URI(url), 'Content-Type' => 'application/json')
# The body is built once: the text that is signed is the text that is sent.
award.body = JSON.generate(
  tenantId: tenant_id, orderId: 'test-1001', userEmail: 'ann@example.com', amount: 5250, note: 'Thank you'
)

send_signed(award, award.body)
# No response, or 503? Send the same order again: it is credited once.
send_signed(award, award.body)
# A history request is signed over its tenantId.
send_signed(Net::HTTP::Get.new(URI("#{url}/awards?tenantId=#{tenant_id}")), tenant_id)
