// The fast lane needs Node only. So that a test which needs a sandbox fails on every machine, its bwrap is one that fails.
import path from "node:path";

process.env.PATH = `${path.join(import.meta.dirname, "no-sandbox")}${path.delimiter}${process.env.PATH}`;
