// How much work the server takes at once, and none once it stops.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";

export interface Admission {
  /** Does the work. Throws UNAVAILABLE instead if there is too much under way, or the server stops. */
  admit<T>(work: () => Promise<T>): Promise<T>;
  /** Like `admit`; the work ends when its response has been read, or the client has left. */
  admitStream(work: () => Promise<Response>): Promise<Response>;
  /** Resolves when the work that was admitted has ended. No more is admitted. */
  stop(): Promise<void>;
}

export function createAdmission(maxAtOnce: number = LIMITS.server.maxRequests): Admission {
  const running = new Set<Promise<unknown>>();
  let isStopping = false;
  const admit = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isStopping) throw unavailable("it is stopping", { isStopping });
    if (running.size >= maxAtOnce) throw unavailable(`${maxAtOnce} requests are under way`);
    const ended = work();
    running.add(ended);
    return ended.finally(() => running.delete(ended));
  };
  return {
    admit,
    admitStream: (work) =>
      new Promise((resolve, reject) => {
        admit(async () => {
          const response = await work();
          const { body } = response;
          if (body === null) return resolve(response);
          const { readable, writable } = new TransformStream();
          resolve(new Response(readable, response));
          await body.pipeTo(writable).catch(() => {});
        }).catch(reject);
      }),
    async stop() {
      isStopping = true;
      await Promise.allSettled(running);
    },
  };
}

function unavailable(reason: string, details = {}): HotcellError {
  const message = `The server could not take the request: ${reason}. Try again in a moment.`;
  return new HotcellError("UNAVAILABLE", message, { retryAfterSeconds: 1, ...details });
}
