// The server of the subject net, in a separate process. It sends its port.
import http from "node:http";

const CHUNK = Buffer.alloc(1024 * 1024);

const server = http.createServer((request, response) => {
  const [, megabytes] = /^\/large\/(\d+)$/.exec(request.url) ?? [];
  if (megabytes === undefined) response.end('{"ok":true}');
  else send(response, Number(megabytes));
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());

function send(response, megabytes) {
  response.setHeader("content-length", megabytes * CHUNK.length);
  let left = megabytes;
  const pour = () => {
    while (left > 0) {
      left--;
      if (!response.write(CHUNK)) return;
    }
    response.end();
  };
  response.on("drain", pour);
  pour();
}
