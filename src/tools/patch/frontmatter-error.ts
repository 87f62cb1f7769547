import { HotcellError } from "../../core/errors.ts";

export function frontmatterError(reason: string): HotcellError {
  return new HotcellError(
    "INVALID_FRONTMATTER",
    `Could not read the front matter: ${reason}. Correct the YAML between the --- lines first.`,
    { reason },
  );
}

/** With the line of the file: the YAML begins on its second one. */
export function yamlError(yaml: string, offset: number, reason: string): HotcellError {
  return frontmatterError(`line ${yaml.slice(0, offset).split("\n").length + 1}: ${reason}`);
}

export function updateError(reason: string): HotcellError {
  return new HotcellError(
    "INVALID_FRONTMATTER",
    `Could not update the front matter: ${reason}. Read the file, and correct its front matter first.`,
  );
}
