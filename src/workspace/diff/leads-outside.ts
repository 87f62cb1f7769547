import { LIMITS } from "../../core/limits.ts";
import type { ReadTree } from "../fs/tree-reader.ts";

/** Whether the link at a path leads out of the project, also by way of other links. A link that cannot be followed to its end, such as a circle, counts. */
export function leadsOutside(path: string, { look }: Pick<ReadTree, "look">, project: string): boolean {
  const names: string[] = [];
  const todo = path.split("/").reverse();
  let links = 0;
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.pop() === undefined) return true;
      continue;
    }
    names.push(name);
    const target = look(names.join("/"))?.side.target ?? null;
    if (target === null) continue;
    if (++links > LIMITS.maxLinksFollowed) return true;
    names.pop();
    const inside = target === project || target.startsWith(`${project}/`);
    if (target.startsWith("/") && !inside) return true;
    if (inside) names.splice(0);
    todo.push(...(inside ? target.slice(project.length) : target).split("/").reverse());
  }
  return false;
}
