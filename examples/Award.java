// One award, the same again, and the history, with the standard library of Java 17 or later:
//   BASE_URL=https://... API_KEY=pck_... SIGNING_SECRET=pcs_... TENANT_ID=... java Award.java
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Award {
    /** HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex. */
    static String sign(String signingSecret, String timestamp, byte[] payload) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(signingSecret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(mac.doFinal(payload));
    }

    static final HttpClient client = HttpClient.newHttpClient();

    static void send(HttpRequest.Builder request, byte[] payload) throws Exception {
        String timestamp = String.valueOf(System.currentTimeMillis());
        request.timeout(Duration.ofSeconds(10))
            .setHeader("X-Api-Key", System.getenv("API_KEY"))
            .setHeader("X-Timestamp", timestamp)
            .setHeader("X-Signature", sign(System.getenv("SIGNING_SECRET"), timestamp, payload));
        var response = client.send(request.build(), BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("--vectors")) {
            signVectors();
            return;
        }
        String url = System.getenv().getOrDefault("BASE_URL", "http://127.0.0.1:8080") + "/v1/ep/webhook";
        String tenantId = System.getenv().getOrDefault("TENANT_ID", "t1");
        // The body is built once, by hand or by your JSON library: the bytes that are signed are the bytes that are sent.
        byte[] body = """
            {"tenantId":"%s","orderId":"test-1001","userEmail":"ann@example.com","amount":5250,"note":"Thank you"}"""
            .formatted(tenantId)
            .getBytes(StandardCharsets.UTF_8);
        var award = HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body));

        send(award, body);
        // No response, or 503? Send the same order again: it is credited once.
        send(award, body);
        // A history request is signed over its tenantId.
        var history = HttpRequest.newBuilder(URI.create(url + "/awards?tenantId=" + tenantId));
        send(history, tenantId.getBytes(StandardCharsets.UTF_8));
    }

    /** Signs lines of secret, timestamp and base64 payload: the test of sign. */
    static void signVectors() throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split(" ", 3);
            System.out.println(sign(fields[0], fields[1], Base64.getDecoder().decode(fields[2])));
        }
    }
}
