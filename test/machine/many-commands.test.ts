import { manyCommandsSuite } from "../kit/many-commands-suite.ts";

manyCommandsSuite();
