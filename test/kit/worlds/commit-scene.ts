// A commit with every kind of change: adds, edits, deletes, renames, links, modes, directories, files that become
// directories, and directories that become files.
import type { CommitWorld, Tree } from "./commit-world.ts";

const SCENE: Tree = {
  "src/edited.txt": "file 644 old\n",
  "src/also edited.txt": "file 600 old too\n",
  "src/script.sh": "file 644 #!/bin/sh\n",
  "src/gone.txt": "file 644 gone\n",
  "src/kept.txt": "file 644 kept\n",
  "old/x": "file 644 x\n",
  "old/y/z": "file 600 z\n",
  link: "link src/edited.txt",
  "becomes a directory": "file 644 file\n",
  "becomes a file/inner": "file 644 inner\n",
  "moves.txt": "file 644 a file that moves\n",
  "to lock": "directory 755",
};

const SCENE_CHANGES: readonly Readonly<Record<string, string | null>>[] = [
  {
    "src/edited.txt": "file 644 new\n",
    "src/also edited.txt": "file 640 new too\n",
    "src/script.sh": "file 755 #!/bin/sh\n",
    "src/gone.txt": null,
    old: null,
    link: "link src/kept.txt",
    "new link": "link elsewhere",
    "becomes a directory": null,
    "becomes a file": null,
    "moves.txt": null,
    "moved/to.txt": "file 644 a file that moves\n",
    "read-only": "directory 755",
    "read-only/file": "file 444 f\n",
    "empty/below": "directory 750",
    "to lock": "directory 500",
  },
  {
    "becomes a directory/inner": "file 644 inner\n",
    "becomes a file": "file 644 now a file\n",
    "read-only": "directory 555",
  },
];

export function layOutScene(world: CommitWorld): void {
  world.begin(SCENE);
  for (const changes of SCENE_CHANGES) world.change("view", changes);
}

/** 100 files that are edited, removed, renamed and created, and links. */
export function layOutHundred(world: CommitWorld): void {
  const numbers = Array.from({ length: 25 }, (_, index) => index);
  const files = (name: string, content: (n: number) => string) =>
    Object.fromEntries(numbers.map((n) => [`${name}/${n % 5}/${n}.txt`, `file 644 ${content(n)}\n`]));
  const links = (name: string, target: string) =>
    Object.fromEntries(numbers.slice(0, 5).map((n) => [`links/${name}${n}`, `link ${target}`]));
  world.begin({
    ...files("edited", (n) => `old ${n}`),
    ...files("removed", (n) => `removed ${n}`),
    ...files("renamed", (n) => `renamed ${n}`),
    ...links("turned", "old"),
  });
  world.change("view", { removed: null, renamed: null });
  world.change("view", {
    ...files("edited", (n) => `new ${n}`),
    ...files("made", (n) => `made ${n}`),
    ...files("names", (n) => `renamed ${n}`),
    ...links("turned", "new"),
    ...links("made", "new"),
  });
}
