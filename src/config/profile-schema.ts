// The schema of a profile: a program for `hotcell run`, and what it gets. Files in profiles/ and the key `profiles` of
// the configuration have it.
import type { Schema } from "./schema.ts";
import { VARIABLE } from "./tool-schema.ts";

const MAX_ITEMS = 1000;
const TEXT = { type: "string", minLength: 1 } as const;

export const PROFILE_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["program"],
  properties: {
    $schema: { type: "string", description: "The location of this schema, for editors." },
    description: { ...TEXT, description: "What the program is, and what of it is turned off." },
    program: {
      type: "string",
      pattern: "^[^/\\0]+$",
      description: "The program's name without a path. It is searched for on your PATH, then in `searched`.",
    },
    arguments: {
      type: "array",
      items: { type: "string" },
      maxItems: MAX_ITEMS,
      description:
        "Its first arguments: those that turn off its own sandbox, which cannot work inside another one, and its own prompts.",
    },
    variables: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "Variables of the program, with their values.",
    },
    secrets: {
      type: "array",
      items: VARIABLE,
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description:
        "Names of variables that the program gets from your environment, if they are set. The log masks their values.",
    },
    hosts: {
      type: "array",
      items: TEXT,
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description: 'Hosts that the program may reach, with their ports, like "api.example.com:443".',
    },
    homeFiles: {
      type: "array",
      items: TEXT,
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description:
        "Files of your home, relative to it, of which the program gets a copy. hotcell asks before the first time.",
    },
    searched: {
      type: "array",
      items: { type: "string", pattern: "^(~|)/" },
      maxItems: MAX_ITEMS,
      uniqueItems: true,
      description:
        'Directories in which the program may be installed, if it is not on your PATH: absolute, or below your home with "~/".',
    },
    install: {
      ...TEXT,
      description: "The command that installs the program, for the message if it is missing.",
    },
  },
} as const satisfies Schema;
