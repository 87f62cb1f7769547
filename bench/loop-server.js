// Streams answers of many small events, as providers do: an answer of /…/v1/messages in Anthropic's form, any other as
// chat completions. The model's name has the number of events; one that begins with "hold" is never ended.
import http from "node:http";

const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
const WORDS = ["Each ", "event ", "has ", "some ", "text, ", "as ", "a ", "model ", "writes ", "it. "];

const messages = {
  start: () =>
    event({
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }) + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  delta: (text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  end: () =>
    event({ type: "content_block_stop", index: 0 }) +
    event({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 9 },
    }) +
    event({ type: "message_stop" }),
};

const choice = (delta, finish_reason = null) =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });
const chat = {
  start: () => choice({ role: "assistant", content: "" }),
  delta: (content) => choice({ content }),
  end: () => `${choice({}, "stop")}data: [DONE]\n\n`,
};

const server = http.createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { model } = JSON.parse(Buffer.concat(pieces).toString());
  const form = request.url.endsWith("/messages") ? messages : chat;
  // Some providers name the events, too: the SDK of Anthropic needs that.
  const named = (text) => text.replaceAll(/data: (\{"type":"(\w+)")/g, "event: $2\ndata: $1");
  const write = (text) => response.write(form === messages ? named(text) : text);
  response.writeHead(200, { "content-type": "text/event-stream" });
  write(form.start());
  const count = Number(/\d+$/.exec(model)[0]);
  for (let at = 0; at < count; at++) {
    if (!write(form.delta(WORDS[at % WORDS.length])))
      await new Promise((resolve) => response.once("drain", resolve));
  }
  if (!model.startsWith("hold")) response.end(form === messages ? named(form.end()) : form.end());
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
