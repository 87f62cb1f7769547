import { agentfsSequencesSuite } from "../kit/machine-and-soak/agentfs-sequences.ts";

agentfsSequencesSuite(150);
