import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, openCliWorld, type Ran } from "../../../test/kit/worlds/cli-world.ts";
import type { Question } from "../../approval/desk.ts";

const SCRIPT = JSON.stringify({
  turns: [
    { calls: [{ name: "write_file", arguments: { path: "b.txt", content: "new\n" } }] },
    { text: "Done." },
  ],
});

/** A chat whose person never types an answer, so that its question waits without a time limit. */
async function openAskingChat() {
  const world = openCliWorld({ "script.json": SCRIPT });
  const model = `scripted/${path.join(world.root, "script.json")}`;
  const chat = world.run(["chat", "go", "--model", model, "--fs", "host"], {
    interactive: true,
    ask: () => new Promise(() => {}),
  });
  return { world, chat, question: await waitForQuestion(world, chat) };
}

async function waitForQuestion(world: CliWorld, chat: Promise<Ran>): Promise<Question> {
  return (await waitForQuestions(world, chat, 1))[0]!;
}

async function waitForQuestions(world: CliWorld, chat: Promise<Ran>, count: number): Promise<Question[]> {
  let ended: Ran | null = null;
  void chat.then((ran) => {
    ended = ran;
  });
  while (ended === null) {
    const questions = JSON.parse((await world.run(["approvals", "--json"])).out) as Question[];
    if (questions.length === count) return questions;
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

test("hotcell approvals tells the same questions of two projects apart: each names its project, session and run", async () => {
  const worlds = [openCliWorld({ "script.json": SCRIPT }), openCliWorld({ "script.json": SCRIPT })] as const;
  const [{ stateDir }] = worlds;
  const begin = ({ root, run }: CliWorld, ...args: readonly string[]) =>
    run(["chat", "go", "--model", `scripted/${path.join(root, "script.json")}`, ...args], {
      env: { HOTCELL_STATE_DIR: stateDir },
      interactive: true,
      ask: () => new Promise(() => {}),
    });
  const chats = [
    begin(worlds[0], "--fs", "host"),
    begin(worlds[1], "--strategy", "clone", "--trust", "supervised"),
  ];
  const questions = await waitForQuestions(worlds[0], Promise.race(chats), 2);
  const { out } = await worlds[0].run(["approvals"]);
  const shown = out.split(/^(?=\w+ {2}write_file asks)/m);
  for (const { id, project, session, callId } of questions) {
    const run = /^run_\w+/.exec(callId)![0];
    const place = project === worlds[0].root ? "" : `, session ${session}`;
    const origin = `\nproject ${project}${place}, run ${run}\n>>> write_file b.txt\n`;
    expect(shown.find((one) => one.startsWith(id))).toContain(origin);
  }
  expect(questions.map(({ project }) => project).sort()).toEqual(worlds.map(({ root }) => root).sort());
  for (const { id } of questions) await worlds[0].run(["approvals", "deny", id]);
  await Promise.all(chats);
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
