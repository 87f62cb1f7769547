import { dropRoot } from "../kit/drop-root.ts";
import { manyCommandsSuite } from "../kit/many-commands-suite.ts";

dropRoot();
manyCommandsSuite();
