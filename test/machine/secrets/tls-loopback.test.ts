// A project that tests its own TLS: a server on loopback, whose certificate a CA of the project has signed.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { initRepository, writeFiles } from "../../kit/worlds/git-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { openOn, WAYS } from "../../kit/worlds/tls-project.ts";

const PROJECT = {
  "server.mjs": `import fs from "node:fs";
import https from "node:https";
const [key, cert] = ["certs/server.key", "certs/server.pem"].map((at) => fs.readFileSync(at));
const server = https.createServer({ key, cert }, (_, response) => response.end("hello over TLS"));
server.listen(0, () => fs.writeFileSync("port", String(server.address().port)));
`,
  "client.mjs": `const url = process.argv[2];
const text = await fetch(url).then((response) => response.text(), ({ cause }) => (/CERT|SIGNATURE/.test(cause.code) ? "not trusted" : cause.code));
console.log("node:", text);
`,
  "client.py": `import ssl, sys, urllib.request
print("python:", urllib.request.urlopen(sys.argv[1], context=ssl.create_default_context(cafile="certs/ca.pem")).read().decode())
`,
  // Each client once with the CA; node once more without it.
  "test.sh": `node server.mjs & server=$!
until test -s port; do sleep 0.05; done
url=https://localhost:$(cat port)/
node client.mjs $url
env -u NODE_EXTRA_CA_CERTS node client.mjs $url
echo "curl: $(curl -sS --cacert certs/ca.pem $url)"
python3 client.py $url
kill $server
`,
  "certs/names": "subjectAltName=DNS:localhost,IP:127.0.0.1\n",
};

function signedProject(): string {
  const root = path.join(tempDir("/var/tmp"), "ws");
  writeFiles(root, PROJECT);
  const openssl = (line: string) =>
    execFileSync("openssl", line.split(" "), { cwd: path.join(root, "certs"), stdio: "pipe" });
  const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  openssl(`req -x509 ${newKey} -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca`);
  openssl(`req ${newKey} -keyout server.key -out server.csr -subj /CN=localhost`);
  openssl(
    "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names",
  );
  initRepository(root);
  return root;
}

describe.each(WAYS)("with %s", (_, options) => {
  test("clients in a command trust a server on loopback by the project's own CA, and by nothing else", async () => {
    const root = signedProject();
    const env = { NODE_EXTRA_CA_CERTS: path.join(root, "certs/ca.pem") };
    const { run } = await openOn(root, { ...options, env });
    const { output } = await run("sh test.sh");
    expect(output).toMatchObject({
      exit_code: 0,
      stdout: [
        "node: hello over TLS",
        "node: not trusted",
        "curl: hello over TLS",
        "python: hello over TLS",
        "",
      ].join("\n"),
    });
  });
});
