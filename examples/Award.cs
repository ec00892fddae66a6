// One award, the same again, and the history, with the standard library alone:
//   BASE_URL=https://... API_KEY=pck_... SIGNING_SECRET=pcs_... TENANT_ID=... dotnet run Award.cs
// From .NET 10 on; with an older .NET or Mono, compile it: it keeps to what they know, too.
using System;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

public static class Award
{
    /// <summary>HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex.</summary>
    static string Sign(string signingSecret, string timestamp, byte[] payload)
    {
        byte[] signed = Encoding.UTF8.GetBytes(timestamp + ".").Concat(payload).ToArray();
        using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(signingSecret)))
        {
            return BitConverter.ToString(hmac.ComputeHash(signed)).Replace("-", "").ToLowerInvariant();
        }
    }

    static readonly HttpClient client = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };

    static async Task Send(HttpRequestMessage request, byte[] payload)
    {
        string timestamp = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds().ToString();
        request.Headers.Add("X-Api-Key", Setting("API_KEY", ""));
        request.Headers.Add("X-Timestamp", timestamp);
        request.Headers.Add("X-Signature", Sign(Setting("SIGNING_SECRET", ""), timestamp, payload));
        using (var response = await client.SendAsync(request))
        {
            Console.WriteLine((int)response.StatusCode + " " + await response.Content.ReadAsStringAsync());
        }
    }

    static HttpRequestMessage Post(string url, byte[] body)
    {
        var content = new ByteArrayContent(body);
        content.Headers.Add("Content-Type", "application/json");
        return new HttpRequestMessage(HttpMethod.Post, url) { Content = content };
    }

    static async Task SendAll()
    {
        string url = Setting("BASE_URL", "http://127.0.0.1:8080") + "/v1/ep/webhook";
        string tenantId = Setting("TENANT_ID", "t1");
        // The body is built once, by hand or by your serializer: the bytes that are signed are the bytes that are sent.
        byte[] award = Encoding.UTF8.GetBytes(
            @"{""tenantId"":""" + tenantId + @""",""orderId"":""test-1001"",""userEmail"":""ann@example.com"",""amount"":5250,""note"":""Thank you""}");

        await Send(Post(url, award), award);
        // No response, or 503? Send the same order again: it is credited once.
        await Send(Post(url, award), award);
        // A history request is signed over its tenantId.
        var history = new HttpRequestMessage(HttpMethod.Get, url + "/awards?tenantId=" + tenantId);
        await Send(history, Encoding.UTF8.GetBytes(tenantId));
    }

    public static void Main(string[] args)
    {
        if (args.Contains("--vectors")) SignVectors();
        else SendAll().GetAwaiter().GetResult();
    }

    /// <summary>Signs lines of secret, timestamp and base64 payload: the test of Sign.</summary>
    static void SignVectors()
    {
        foreach (string line in Console.In.ReadToEnd().TrimEnd('\n').Split('\n'))
        {
            string[] fields = line.Split(' ');
            Console.WriteLine(Sign(fields[0], fields[1], Convert.FromBase64String(fields[2])));
        }
    }

    static string Setting(string name, string otherwise)
    {
        return Environment.GetEnvironmentVariable(name) ?? otherwise;
    }
}
