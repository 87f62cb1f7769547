import wabt from "wabt";

const FEATURES = {
  threads: true,
  memory64: true,
  tail_call: true,
  exceptions: true,
  reference_types: true,
  bulk_memory: true,
};

/** A module from its text form. */
export async function compileWat(wat: string): Promise<Uint8Array> {
  const tools = await wabt();
  const parsed = tools.parseWat("test.wat", wat, FEATURES);
  try {
    return parsed.toBinary({ write_debug_names: false }).buffer;
  } finally {
    parsed.destroy();
  }
}
