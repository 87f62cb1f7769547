import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, openCliWorld, type Ran } from "../../../test/kit/worlds/cli-world.ts";
import type { Question } from "../../approval/desk.ts";

/** A chat whose person never types an answer, so that its question waits without a time limit. */
async function openAskingChat() {
  const turns = [
    { calls: [{ name: "write_file", arguments: { path: "b.txt", content: "new\n" } }] },
    { text: "Done." },
  ];
  const world = openCliWorld({ "script.json": JSON.stringify({ turns }) });
  const model = `scripted/${path.join(world.root, "script.json")}`;
  const chat = world.run(["chat", "go", "--model", model, "--fs", "host"], {
    interactive: true,
    ask: () => new Promise(() => {}),
  });
  return { world, chat, question: await waitForQuestion(world, chat) };
}

async function waitForQuestion(world: CliWorld, chat: Promise<Ran>): Promise<Question> {
  let ended: Ran | null = null;
  void chat.then((ran) => {
    ended = ran;
  });
  while (ended === null) {
    const [question] = JSON.parse((await world.run(["approvals", "--json"])).out) as Question[];
    if (question !== undefined) return question;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`the chat asked nothing: ${JSON.stringify(ended)}`);
}

test("hotcell approvals lists a question that waits in a chat with its diff, and allow lets the call run", async () => {
  const { world, chat, question } = await openAskingChat();
  const { out } = await world.run(["approvals"]);
  expect(out).toMatch(new RegExp(`^${question.id}  write_file asks for approval`));
  expect(out).toContain("+new\n");
  expect(out).toContain(
    `hotcell approvals allow ${question.id} --remember project --allow-rule 'allow write_file(b.txt)'`,
  );
  expect(await world.run(["approvals", "allow", question.id.slice(0, 4)])).toEqual({
    code: 0,
    out: `Allowed ${question.id}.\n`,
    err: "",
  });
  expect(await chat).toMatchObject({ code: 0, out: expect.stringMatching(/^● write_file b\.txt\nDone\.\n/) });
  expect(fs.readFileSync(path.join(world.root, "b.txt"), "utf8")).toBe("new\n");
  expect((await world.run(["approvals"])).out).toBe("No question waits for an answer.\n");
});

test("hotcell approvals deny refuses the call with the reason, and a second answer is told that none waits", async () => {
  const { world, chat, question } = await openAskingChat();
  expect(await world.run(["approvals", "deny", question.id, "--reason", "not this file"])).toEqual({
    code: 0,
    out: `Denied ${question.id}.\n`,
    err: "",
  });
  expect((await chat).out).toMatch(/^● write_file b\.txt\n {2}✗ refused: .*not this file/);
  expect(fs.existsSync(path.join(world.root, "b.txt"))).toBe(false);
  expect(await world.run(["approvals", "allow", question.id])).toMatchObject({
    code: 2,
    err: expect.stringContaining("no question has that id. See hotcell approvals."),
  });
});

test("hotcell approvals allow --remember project --allow-rule saves the rule that the list shows", async () => {
  const { world, chat, question } = await openAskingChat();
  const rule = "allow write_file(b.txt)";
  const args = ["approvals", "allow", question.id, "--remember", "project", "--allow-rule", rule];
  expect(await world.run(args)).toMatchObject({ code: 0, err: "" });
  expect((await chat).code).toBe(0);
  expect((await world.run(["policy", "list"])).out).toContain(`${rule}  for project`);
});

test("a yes can't be remembered for an unknown time: that is wrong use, and the question waits on", async () => {
  const { world, chat, question } = await openAskingChat();
  expect(await world.run(["approvals", "allow", question.id, "--remember", "ever"])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--remember is "ever"; allowed are'),
  });
  expect(JSON.parse((await world.run(["approvals", "--json"])).out)).toEqual([question]);
  await world.run(["approvals", "deny", question.id]);
  await chat;
});
