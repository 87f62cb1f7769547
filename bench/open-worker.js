import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** Starts a process that sends a message when it is ready, and one answer for each message. `options` are those of fork. */
export async function openWorker(module, args, options = {}) {
  const worker = fork(module, args, options);
  const ended = once(worker, "exit").then(([code]) => {
    throw new Error(`"${[path.basename(module.pathname), ...args].join(" ")}" ended with ${code}.`);
  });
  ended.catch(() => {});
  const answered = async () => (await Promise.race([once(worker, "message"), ended]))[0];
  await answered();
  return {
    pid: worker.pid,
    ask(message) {
      worker.send(message);
      return answered();
    },
    async close() {
      if (worker.connected) worker.disconnect();
      await ended.catch(() => {});
    },
  };
}
