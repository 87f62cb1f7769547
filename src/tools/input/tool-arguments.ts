// The type of a tool's arguments, from the schema that checks them.
import type { Json, JsonObject } from "../../core/json.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** The schema of a tool's arguments: a JSON Schema of type object, or a Standard Schema. */
export type ToolInput = JsonObject | StandardSchema;

/** The arguments that `run` gets: the output of a Standard Schema, or the values that a JSON Schema describes. */
export type ToolArguments<Input> = Input extends StandardSchema
  ? NonNullable<Input["~standard"]["types"]>["output"]
  : Input extends { readonly type: "object" }
    ? Flat<Described<Input>>
    : JsonObject;

/** The values of a JSON Schema with the keywords that tools use. Other keywords may narrow them further. */
type Described<Schema> = Schema extends { readonly const: infer Only }
  ? Only
  : Schema extends { readonly enum: readonly (infer One)[] }
    ? One
    : Schema extends { readonly type: "string" }
      ? string
      : Schema extends { readonly type: "integer" | "number" }
        ? number
        : Schema extends { readonly type: "boolean" }
          ? boolean
          : Schema extends { readonly type: "array"; readonly items: infer Item }
            ? readonly Described<Item>[]
            : Schema extends { readonly type: "object"; readonly properties: infer Properties }
              ? DescribedObject<Properties, RequiredOf<Schema>>
              : Schema extends { readonly type: "object" }
                ? JsonObject
                : Json;

type DescribedObject<Properties, Required> = {
  readonly [Key in keyof Properties as Key extends Required ? Key : never]: Described<Properties[Key]>;
} & {
  readonly [Key in keyof Properties as Key extends Required ? never : Key]?: Described<Properties[Key]>;
};

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

type Flat<T> = T extends object ? { [Key in keyof T]: T[Key] } : T;
