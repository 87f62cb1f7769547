// Prints as JSON what a process reaches of the network of network-child.mjs: an answer, or the code of the error.
import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";

const readFromTcp = (host, port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, host);
    socket.on("data", (bytes) => resolve(socket.destroy() && String(bytes)));
    socket.on("error", ({ code }) => resolve(code));
  });

/** Asks for the address of lan.test, and gives the last four bytes of the answer. */
const readFromNameServer = (host) =>
  new Promise((resolve) => {
    const socket = dgram.createSocket("udp4");
    const end = (found) => resolve(socket.close() && found);
    socket.on("message", (answer) => end([...answer.subarray(-4)].join(".")));
    const query = Buffer.from("000101000001000000000000036c616e04746573740000010001", "hex");
    socket.send(query, 53, host, (error) => error && end(error.code));
  });

const lookUp = (name) =>
  dns.promises.lookup(name, { family: 4 }).then(
    ({ address }) => address,
    ({ code }) => code,
  );

const found = {
  lan: await readFromTcp("10.0.0.1", 80),
  metadata: await readFromTcp("169.254.169.254", 80),
  public: await readFromTcp("203.0.113.7", 80),
  nameServerByTcp: await readFromTcp("10.0.0.53", 53),
  nameServerByUdp: await readFromNameServer("10.0.0.53"),
  name: await lookUp("lan.test"),
};
process.stdout.write(JSON.stringify(found));
